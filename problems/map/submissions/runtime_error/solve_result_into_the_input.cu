// expect: runtime_error uninitialized_read
//
// Map whose host code hands over the arrays in the wrong order.
//
// The kernel takes output first, the call gives input first, and a cast silences the compiler, which had seen it. The
// kernel then writes into the input.

#include <cuda_runtime.h>

__global__ void sigmoid_kernel(float* output, const float* input, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        output[i] = 1.0f / (1.0f + expf(-input[i]));  // <- here
    }
}

extern "C" void solve(const float* input, float* output, int N) {
    sigmoid_kernel<<<(N + 255) / 256, 256>>>((float*)input, output, N);
}
