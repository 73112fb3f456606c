// expect: runtime_error out_of_bounds
//
// SwiGLU in two kernels with a scratch array that is too small.
//
// cudaMalloc takes bytes, and the student gave it a number of floats.

#include <cuda_runtime.h>

__global__ void silu(const float* gate, float* gated, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        gated[i] = gate[i] / (1.0f + expf(-gate[i]));  // <- here
    }
}

__global__ void multiply(const float* gated, const float* value, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = gated[i] * value[i];
    }
}

extern "C" void solve(const float* gate, const float* value, float* output, int N) {
    int blocks = (N + 255) / 256;
    float* gated;
    cudaMalloc(&gated, N);
    silu<<<blocks, 256>>>(gate, gated, N);
    multiply<<<blocks, 256>>>(gated, value, output, N);
    cudaFree(gated);
}
