// expect: runtime_error launch_failure
// says: the target is memory that is freed already (line 8)
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    float* T;
    cudaMalloc((void**)&T, N * sizeof(float));
    cudaFree(T);
    cudaMemset(T + 10, 0, 4 * sizeof(float));  // <- here
}
