// expect: runtime_error out_of_bounds
//
// Reduction that frees its scratch array before the kernel that reads it.
//
// cudaFree waits for what was launched before it, not for what comes after. The second kernel reads memory that is
// given back, and may belong to another array by then.

#include <algorithm>
#include <cuda_runtime.h>

__global__ void sum_of_thread(const float* input, float* sums, int N, int threads) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < threads) {
        float sum = 0.0f;
        for (int i = t; i < N; i += threads) {
            sum += input[i];  // <- here
        }
        sums[t] = sum;
    }
}

extern "C" void solve(const float* input, float* output, int N) {
    int threads = std::min(N, 1024);
    float* sums;
    cudaMalloc(&sums, threads * sizeof(float));
    sum_of_thread<<<(threads + 127) / 128, 128>>>(input, sums, N, threads);
    cudaFree(sums);
    sum_of_thread<<<1, 1>>>(sums, output, threads, 1);
}
