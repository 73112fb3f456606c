// expect: runtime_error out_of_bounds
//
// SwiGLU without a bounds check.
//
// The last block is always complete, and its surplus threads read past the end.

__global__ void swiglu_kernel(const float* gate, const float* value, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = gate[i];  // <- here
    output[i] = x / (1.0f + expf(-x)) * value[i];
}
