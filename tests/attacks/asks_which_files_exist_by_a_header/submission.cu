// expect: compile_error
// problem: zip
// row: emulator
//
// A macro of CUDA's own headers asks.
#include <cuda/std/limits>
#if _CCCL_HAS_INCLUDE("/etc/shadow")
#error there
#endif
__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}
