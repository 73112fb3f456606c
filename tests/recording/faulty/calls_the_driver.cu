// expect: runtime_error unsupported_call
// says: cuMemAlloc_v2() is not supported here
// hint: use the CUDA runtime
#include <cuda.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    CUdeviceptr T;
    cuMemAlloc(&T, N * sizeof(float));  // <- here
}
