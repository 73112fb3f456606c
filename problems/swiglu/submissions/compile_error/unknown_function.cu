// expect: compile_error
//
// SwiGLU that calls a function of another library.
//
// PyTorch has silu; CUDA's mathematics has expf and leaves the rest to you.

__global__ void swiglu_kernel(const float* gate, const float* value, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = silu(gate[i]) * value[i];  // <- here
    }
}
