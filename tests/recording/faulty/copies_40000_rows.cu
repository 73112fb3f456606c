// expect: runtime_error unsupported_call
// says: 40000 x 1 rows are more than the 32768
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    char* T;
    cudaMalloc((void**)&T, 40000 * 8);
    cudaMemset2D(T, 8, 0, 4, 40000);  // <- here
}
