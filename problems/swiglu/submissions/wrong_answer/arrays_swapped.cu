// expect: wrong_answer wrong_value
//
// SwiGLU that gates the gate with the value.
//
// The function belongs to the first array. Right only where both elements are the same.

__global__ void swiglu_kernel(const float* gate, const float* value, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float x = value[i];
        output[i] = x / (1.0f + expf(-x)) * gate[i];
    }
}
