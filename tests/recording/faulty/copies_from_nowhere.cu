// expect: runtime_error unsupported_call
// says: can't be read on the host for 4000 bytes
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    float* T = (float*)0x10;
    cudaMemcpy(C, T, N * sizeof(float), cudaMemcpyHostToDevice);  // <- here
}
