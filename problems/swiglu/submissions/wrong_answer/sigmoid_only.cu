// expect: wrong_answer wrong_value
//
// SwiGLU with the sigmoid function for SiLU.
//
// 1 / (1 + exp(-x)) is the gate of a plain GLU. SiLU is x times that.

__global__ void swiglu_kernel(const float* gate, const float* value, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = 1.0f / (1.0f + expf(-gate[i])) * value[i];
    }
}
