// problem: reduce
// expect: accepted
// sizes: N=1 N=100000
//
// CUB: each algorithm is called twice, first to ask how much scratch it needs. The last prefix sum is the sum of all,
// and a sum over it alone brings it to the output.

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

extern "C" void solve(const float* input, float* output, int N) {
    float* prefix;
    cudaMalloc(&prefix, N * sizeof(float));

    size_t bytes = 0;
    cub::DeviceScan::InclusiveSum(nullptr, bytes, input, prefix, N);
    void* scratch;
    cudaMalloc(&scratch, bytes);
    cub::DeviceScan::InclusiveSum(scratch, bytes, input, prefix, N);
    cudaFree(scratch);

    cub::DeviceReduce::Sum(nullptr, bytes, prefix + N - 1, output, 1);
    cudaMalloc(&scratch, bytes);
    cub::DeviceReduce::Sum(scratch, bytes, prefix + N - 1, output, 1);
    cudaFree(scratch);
    cudaFree(prefix);
}
