// expect: time_limit_exceeded
// Fills the judge's memory with steps.
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    for (;;) cudaMemset(C, 0, N * sizeof(float));
}
