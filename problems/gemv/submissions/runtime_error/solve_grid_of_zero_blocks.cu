// expect: runtime_error launch_failure
//
// Matrix times vector whose number of blocks is rounded down.
//
// Fewer than 128 rows make 0 blocks, which CUDA refuses; 200 rows make one, which leaves 72 of them out.

#include <cuda_runtime.h>

__global__ void thread_a_row(const float* A, const float* x, float* y, int M, int N) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M) {
        float sum = 0.0f;
        for (int j = 0; j < N; ++j) {
            sum += A[row * N + j] * x[j];
        }
        y[row] = sum;
    }
}

extern "C" void solve(const float* A, const float* x, float* y, int M, int N) {
    thread_a_row<<<M / 128, 128>>>(A, x, y, M, N);  // <- here
}
