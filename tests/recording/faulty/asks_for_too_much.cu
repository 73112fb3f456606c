// expect: memory_limit_exceeded
// says: cudaMalloc() fails with 'out of memory' (cudaErrorMemoryAllocation)
// hint: after it, solve() ended the process by exit(1)
#include <cuda_runtime_api.h>
#include <cstdlib>

#define CHECK(call) \
    if ((call) != cudaSuccess) exit(1)

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    float* T;
    CHECK(cudaMalloc((void**)&T, size_t{1} << 40));  // <- here
}
