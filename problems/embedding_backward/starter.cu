// Embedding, backward: gradient[tokens[n]][d] is the sum of upstream[n][d] over the places n of a word. N tokens, V
// words of D numbers, fp32.
//
// The kernel gets one thread for each element of `upstream`, in blocks of BLOCK threads; the gradient is all zeros. You
// may change the number: any constant expression up to 1024.
#include <cuda_runtime.h>

#define BLOCK 256

__global__ void embedding_backward_kernel(const int* tokens, const float* upstream, float* gradient, int N, int V,
                                          int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    // The grid is rounded up to whole blocks: the last threads have no element and must not touch memory.
    if (i < N * D) {
        int d = i % D;
        int n = i / D;
        // Your turn: add the element to the row of the token's word. Other threads may add to the same place.
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const int* tokens, const float* upstream, float* gradient, int N, int V, int D) {
    int blocks = (N * D + BLOCK - 1) / BLOCK;
    cudaMemset(gradient, 0, (size_t)V * D * sizeof(float));
    embedding_backward_kernel<<<blocks, BLOCK>>>(tokens, upstream, gradient, N, V, D);
}
