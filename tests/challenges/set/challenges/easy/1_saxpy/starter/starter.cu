#include <cuda_runtime.h>

__global__ void saxpy(float a, const float* x, float* y, size_t n) {}

// x and y are device pointers
extern "C" void solve(float a, const float* x, float* y, size_t n) {
    saxpy<<<(n + 255) / 256, 256>>>(a, x, y, n);
}
