// expect: compile_error
//
// Dot product under a short name.
//
// The grader looks for the name that the statement gives.

__global__ void dot_kernel(const float* a, const float* b, float* output, int N) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        atomicAdd(output, a[i] * b[i]);
    }
}
