// expect: compile_error
//
// Sigmoid with a closing parenthesis missing.
//
// The student lost count of the parentheses.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = 1.0f / (1.0f + expf(-input[i]);
    }
}
