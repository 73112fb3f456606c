// expect: runtime_error
// says: solve() reads device memory of cudaMalloc() on the host
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    int* found;
    cudaMalloc((void**)&found, sizeof(int));
    if (*found > 0)  // <- here
        cudaMemset(C, 0, 4);
}
