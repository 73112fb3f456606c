// expect: wrong_answer unwritten_output
//
// Map whose host code prepares everything and launches nothing.
//
// The student changed the call of the kernel into a comment while looking for a compiler error. Nothing fails: the
// GPU was asked for no work, and did it.

#include <cuda_runtime.h>

__global__ void sigmoid_kernel(const float* X, float* Y, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        Y[i] = 1.0f / (1.0f + expf(-X[i]));
    }
}

extern "C" void solve(const float* X, float* Y, int N) {
    int threadsPerBlock = 256;
    int blocksPerGrid = (N + threadsPerBlock - 1) / threadsPerBlock;
    // sigmoid_kernel<<<blocksPerGrid, threadsPerBlock>>>(X, Y, N);
    (void)blocksPerGrid;
    cudaDeviceSynchronize();
}
