// expect: runtime_error launch_failure
// says: cudaMemcpy() fails with 'invalid argument' (cudaErrorInvalidValue): the target 0x7f3000200000 (the device array C) has 4000 bytes from there on; the call needs 8000
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    cudaMemcpy(C, A, 2 * N * sizeof(float), cudaMemcpyDeviceToDevice);  // <- here
}
