// expect: wrong_answer unwritten_output
//
// Prefix sum with one block of 256 threads a row and no loop.
//
// Elements from 256 on have no thread, and are never written.

#include <cuda_runtime.h>

__global__ void scan_row(const float* input, float* output, int N) {
    if (threadIdx.x < N) {
        float sum = 0.0f;
        for (int j = 0; j <= threadIdx.x; ++j) {
            sum += input[blockIdx.x * N + j];
        }
        output[blockIdx.x * N + threadIdx.x] = sum;
    }
}

extern "C" void solve(const float* input, float* output, int M, int N) {
    scan_row<<<M, 256>>>(input, output, N);
}
