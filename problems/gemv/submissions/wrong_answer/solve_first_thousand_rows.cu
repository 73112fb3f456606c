// expect: wrong_answer unwritten_output
//
// Matrix times vector with one block of 1024 threads.
//
// The student gave each row a thread, and put all threads into the largest block there is. Row 1024 and those after
// it are never written.

#include <cuda_runtime.h>

__global__ void thread_a_row(const float* A, const float* x, float* y, int M, int N) {
    int row = threadIdx.x;
    if (row < M) {
        float sum = 0.0f;
        for (int j = 0; j < N; ++j) {
            sum += A[row * N + j] * x[j];
        }
        y[row] = sum;
    }
}

extern "C" void solve(const float* A, const float* x, float* y, int M, int N) {
    thread_a_row<<<1, 1024>>>(A, x, y, M, N);
}
