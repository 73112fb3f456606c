// expect: runtime_error
//
// Dot product whose solve() stores the result by itself.
//
// output is an address of the GPU's memory. The host can't write there; it has to leave that to a kernel or a copy.

#include <cuda_runtime.h>

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    for (int i = threadIdx.x; i < N; i += blockDim.x) {
        atomicAdd(output, a[i] * b[i]);
    }
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    output[0] = 0.0f;  // <- here
    dot_product_kernel<<<1, 256>>>(a, b, output, N);
}
