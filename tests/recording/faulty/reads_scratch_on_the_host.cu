// expect: runtime_error
// says: which is device memory of cudaMalloc()
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    int* found;
    cudaMalloc((void**)&found, sizeof(int));
    if (*found > 0)  // <- here
        cudaMemset(C, 0, 4);
}
