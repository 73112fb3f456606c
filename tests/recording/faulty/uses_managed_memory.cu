// expect: runtime_error unsupported_call
// says: cudaMallocManaged() is not supported here
// hint: managed memory is not there: allocate with cudaMalloc() and copy with cudaMemcpy()
#include <cuda_runtime_api.h>

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    float* T;
    cudaMallocManaged((void**)&T, N * sizeof(float), cudaMemAttachGlobal);  // <- here
}
