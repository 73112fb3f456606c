// problem: reduce
// expect: wrong_answer unwritten_output
// sizes: N=1000
//
// The first call of CUB only says how much scratch it needs. The second one is missing.

#include <cub/device/device_reduce.cuh>

extern "C" void solve(const float* input, float* output, int N) {
    size_t bytes = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, input, output, N);
    void* scratch;
    cudaMalloc(&scratch, bytes);
    cudaFree(scratch);
}
