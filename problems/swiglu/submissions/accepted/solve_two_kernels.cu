// expect: accepted
//
// SwiGLU in two kernels, with the output as the place for what lies between them.
//
// This is what a library without a fused kernel does: SiLU first, then the product. It is right, and moves 20 bytes an
// element where 12 are enough; compare its time with that of step 1.

#include <cuda_runtime.h>

__global__ void silu(const float* gate, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = gate[i] / (1.0f + expf(-gate[i]));
    }
}

__global__ void multiply(const float* value, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] *= value[i];
    }
}

extern "C" void solve(const float* gate, const float* value, float* output, int N) {
    int blocks = (N + 255) / 256;
    silu<<<blocks, 256>>>(gate, output, N);
    multiply<<<blocks, 256>>>(value, output, N);
}
