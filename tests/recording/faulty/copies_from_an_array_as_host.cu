// expect: runtime_error unsupported_call
// says: its source 0x7f3000000000 (the device array A) is on the device, and cudaMemcpyHostToDevice takes it for a host pointer
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    float* T;
    cudaMalloc((void**)&T, N * sizeof(float));
    cudaMemcpy(T, A, N * sizeof(float), cudaMemcpyHostToDevice);  // <- here
}
