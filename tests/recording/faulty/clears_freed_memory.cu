// expect: runtime_error launch_failure
// says: is no device memory
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    float* T;
    cudaMalloc((void**)&T, N * sizeof(float));
    cudaFree(T);
    cudaMemset(T, 0, N * sizeof(float));  // <- here
}
