// expect: compile_error
//
// SwiGLU with gate and value in one array.
//
// Some models store both halves behind each other. Here they are two arrays, as the statement's signature says.

__global__ void swiglu_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float x = input[i];
        output[i] = x / (1.0f + expf(-x)) * input[N + i];
    }
}
