// expect: runtime_error uninitialized_read
//
// Dot product that adds to an output that nobody has cleared.
//
// Only the launch of the kernel form sets output[0] to 0. solve() gets it as it is, and atomicAdd adds to whatever it
// finds.

#include <cuda_runtime.h>

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        atomicAdd(output, a[i] * b[i]);  // <- here
    }
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    dot_product_kernel<<<(N + 255) / 256, 256>>>(a, b, output, N);
}
