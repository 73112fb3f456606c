#include <cuda_runtime.h>

__global__ void work(const bool* flags, bool invert, bool* result, unsigned n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) result[i] = flags[i] != invert;
}

extern "C" void solve(const bool* flags, bool invert, bool* result, unsigned n) {
    work<<<(n + 255) / 256, 256>>>(flags, invert, result, n);
}
