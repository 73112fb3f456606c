// expect: compile_error
//
// Prefix sum that calls the host's library in a kernel.
//
// std::partial_sum is a function for the host, and a kernel can't call it.

#include <numeric>

__global__ void prefix_sum_kernel(const float* input, float* output, int M, int N) {
    if (threadIdx.x == 0) {
        const float* row = input + blockIdx.x * N;
        std::partial_sum(row, row + N, output + blockIdx.x * N);
    }
}
