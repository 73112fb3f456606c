// expect: runtime_error out_of_bounds
//
// Map whose host code passes the size in bytes.
//
// The student computed N * sizeof(float) for a cudaMemcpy that is gone by now, and went on to use it as the number of
// elements. The kernel's guard is right, and guards the wrong limit.

#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* X, float* Y, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        Y[i] = 1.0f / (1.0f + expf(-X[i]));  // <- here
    }
}

extern "C" void solve(const float* X, float* Y, int N) {
    int size = N * sizeof(float);
    sigmoid_kernel<<<(size + 255) / 256, 256>>>(X, Y, size);
}
