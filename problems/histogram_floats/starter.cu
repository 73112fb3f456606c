// Histogram of floats: how many elements lie in each bin, and how many below, above and nowhere (NaN).
//
// Bin b takes the elements with edges[b] <= x < edges[b + 1]. The kernel gets blocks of BLOCK threads, at most 1024
// blocks. You may change the number: any constant expression up to 1024.
#include <cuda_runtime.h>

#define BLOCK 256

__global__ void histogram_floats_kernel(const float* input, const float* edges, int* histogram, int* outside, int N,
                                        int BINS) {
    // There are fewer threads than elements if N is large: a thread takes several.
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        float x = input[i];
        // Your turn: find the bin of x by bisection, or its place outside, and add 1 there. Several threads may find
        // the same place at once.
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* input, const float* edges, int* histogram, int* outside, int N, int BINS) {
    int blocks = (N + BLOCK - 1) / BLOCK;
    cudaMemset(histogram, 0, BINS * sizeof(int));
    cudaMemset(outside, 0, 3 * sizeof(int));
    histogram_floats_kernel<<<blocks < 1024 ? blocks : 1024, BLOCK>>>(input, edges, histogram, outside, N, BINS);
}
