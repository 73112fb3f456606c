// expect: runtime_error unsupported_call
// says: 5000 x 1 rows are more than the 4096
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    char* T;
    cudaMalloc((void**)&T, 5000 * 8);
    cudaMemset2D(T, 8, 0, 4, 5000);  // <- here
}
