// expect: runtime_error out_of_bounds
//
// Reduction whose scratch array is a quarter of the size that it needs.
//
// cudaMalloc takes bytes, and the student gave it a number of floats. On a GPU allocations are rounded up, so it often
// goes unnoticed until another array follows closely.

#include <algorithm>
#include <cuda_runtime.h>

__global__ void sum_of_thread(const float* input, float* sums, int N, int threads) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < threads) {
        float sum = 0.0f;
        for (int i = t; i < N; i += threads) {
            sum += input[i];
        }
        sums[t] = sum;  // <- here
    }
}

extern "C" void solve(const float* input, float* output, int N) {
    int threads = std::min(N, 1024);
    float* sums;
    cudaMalloc(&sums, threads);
    sum_of_thread<<<(threads + 127) / 128, 128>>>(input, sums, N, threads);
    sum_of_thread<<<1, 1>>>(sums, output, threads, 1);
    cudaFree(sums);
}
