// Causal attention of H heads: output = softmax(Q K^T / sqrt(D)) V in each, all of them H x N x D halves. Row i of a head
// sees rows 0 to i only. Scores, exponentials and sums are floats.
//
// The kernel gets a warp for each row, WARPS warps a block; blockIdx.y is the head. You may change the number: any
// constant expression up to 32, for a block has at most 1024 threads.
#include <cuda_fp16.h>

#define WARPS 4

__global__ void attention_fp16_kernel(const half* Q, const half* K, const half* V, half* output, int H, int N, int D) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int head = blockIdx.y;
    int lane = threadIdx.x;

    // The last block may have more warps than there are rows left.
    if (row < N) {
        // Your turn: find the largest of the scores 0 to row, then the sum of their exponentials, then the weighted
        // mean of the rows of V. Begin with lane 0 alone, then share the work among the 32 lanes.
    }
}

// Host code: the grader calls it. The matrices lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const half* Q, const half* K, const half* V, half* output, int H, int N, int D) {
    dim3 block(32, WARPS);
    dim3 grid((N + WARPS - 1) / WARPS, H);
    attention_fp16_kernel<<<grid, block>>>(Q, K, V, output, H, N, D);
}
