// CUB and Thrust, whose host code asks for much: scratch sizes, attributes, occupancy, errors.
#include <cub/device/device_reduce.cuh>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    size_t bytes = 0;
    void* scratch = nullptr;
    cub::DeviceReduce::Sum(nullptr, bytes, A, C, N);
    cudaMalloc(&scratch, bytes);
    cub::DeviceReduce::Sum(scratch, bytes, A, C, N);
    cudaFree(scratch);
    float sum = thrust::reduce(thrust::device, A, A + N, 0.0f);
    cudaMemcpy(C, &sum, sizeof sum, cudaMemcpyHostToDevice);
}
