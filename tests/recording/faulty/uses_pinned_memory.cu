// expect: runtime_error unsupported_call
// says: cudaMallocHost() is not supported here
// hint: pinned memory is not there
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    float* T;
    cudaMallocHost((void**)&T, N * sizeof(float));  // <- here
}
