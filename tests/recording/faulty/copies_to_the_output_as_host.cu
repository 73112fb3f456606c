// expect: runtime_error unsupported_call
// says: its target 0x7f3000200000 (the device array C) is on the device, and cudaMemcpyDeviceToHost takes it for a host pointer
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    float* T;
    cudaMalloc((void**)&T, N * sizeof(float));
    cudaMemcpy(C, T, N * sizeof(float), cudaMemcpyDeviceToHost);  // <- here
}
