// problem: reduce
// expect: accepted
// sizes: N=1 N=100000
//
// CUB's device-wide algorithms: how much scratch they need, then the work. The last prefix sum is a sum as well.

#include <cub/cub.cuh>

__global__ void half_of_both(float* output, const float* last) { output[0] = 0.5f * output[0] + 0.5f * last[0]; }

extern "C" void solve(const float* input, float* output, int N) {
    size_t for_sum = 0, for_scan = 0;
    cub::DeviceReduce::Sum(nullptr, for_sum, input, output, N);
    float* prefix;
    cudaMalloc(&prefix, N * sizeof(float));
    cub::DeviceScan::InclusiveSum(nullptr, for_scan, input, prefix, N);
    void *scratch, *more;
    cudaMalloc(&scratch, for_sum);
    cudaMalloc(&more, for_scan);
    cub::DeviceReduce::Sum(scratch, for_sum, input, output, N);
    cub::DeviceScan::InclusiveSum(more, for_scan, input, prefix, N);
    half_of_both<<<1, 1>>>(output, prefix + N - 1);
    cudaFree(scratch);
    cudaFree(more);
    cudaFree(prefix);
}
