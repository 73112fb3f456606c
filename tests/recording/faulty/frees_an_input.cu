// expect: runtime_error unsupported_call
// says: the array A belongs to whoever calls solve()
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    cudaMemcpy(C, A, N * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(const_cast<float*>(A));  // <- here
}
