// expect: accepted
//
// Matrix times vector, step 1: one thread computes one row.
//
// The sum runs in a register and is written once. What is left to gain: neighbouring threads read floats that lie N
// apart, so that each load of a warp touches 32 lines of memory for 128 bytes, and 31 of 32 threads that are launched
// do nothing.

__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int N) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M) {
        float sum = 0.0f;
        for (int j = 0; j < N; ++j) {
            sum += A[row * N + j] * x[j];
        }
        y[row] = sum;
    }
}
