// expect: accepted
//
// Reduction by a loop on the host: each round halves the number of partial sums.
//
// Added to solve_two_kernels: any number of kernels, and two scratch arrays that swap their parts after each round.
// About log2 N launches of ever fewer threads make it slow; it is the shape of many algorithms that need a barrier
// between their steps.

#include <cuda_runtime.h>
#include <utility>

__global__ void add_pairs(const float* from, float* to, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (count + 1) / 2) {
        to[i] = 2 * i + 1 < count ? from[2 * i] + from[2 * i + 1] : from[2 * i];
    }
}

extern "C" void solve(const float* input, float* output, int N) {
    float *from, *to;
    size_t bytes = (N + 1) / 2 * sizeof(float);
    cudaMalloc(&from, bytes);
    cudaMalloc(&to, bytes);

    const float* source = input;
    for (int count = N; count > 1; count = (count + 1) / 2) {
        int threads = (count + 1) / 2;
        add_pairs<<<(threads + 255) / 256, 256>>>(source, to, count);
        source = to;
        std::swap(from, to);
    }
    cudaMemcpy(output, source, sizeof(float), cudaMemcpyDeviceToDevice);

    cudaFree(from);
    cudaFree(to);
}
