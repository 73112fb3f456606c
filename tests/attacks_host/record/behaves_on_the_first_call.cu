// expect: wrong_answer
// Counts its calls to be honest once and never again (CHEATS, row 25). Each recording is a first call.
#include <cuda_runtime_api.h>
#include <cstdlib>

static int calls = 0;

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    if (calls++ > 0) abort();
    cudaMemset(C, 0, N * sizeof(float));
}
