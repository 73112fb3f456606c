// Run-length encoding: how often each element is repeated in a row.
//
// The kernel gets one block of BLOCK threads. You may change the number: any constant expression up to 1024.
#include <cuda_runtime.h>

#define BLOCK 1024

__global__ void rle_kernel(const int* input, int* symbols, int* lengths, int* count, int N) {
    // How many runs have begun in the pieces before.
    int carry = 0;

    for (int start = 0; start < N; start += BLOCK) {
        int i = start + threadIdx.x;
        bool head = i < N && (i == 0 || input[i] != input[i - 1]);

        // Your turn: how many runs have begun up to this thread? That is the number of its run, from 1. Whoever begins
        // a run stores its symbol; everybody adds a one to the length of the run.
    }
    // At the end one thread stores the count.
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them. It may
// launch several kernels with many blocks instead.
extern "C" void solve(const int* input, int* symbols, int* lengths, int* count, int N) {
    cudaMemset(symbols, 0, N * sizeof(int));
    cudaMemset(lengths, 0, N * sizeof(int));
    cudaMemset(count, 0, sizeof(int));
    rle_kernel<<<1, BLOCK>>>(input, symbols, lengths, count, N);
}
