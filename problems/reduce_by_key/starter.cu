// Reduction by key: the sum of the values of each run of equal keys.
//
// The kernel gets one block of BLOCK threads. You may change the number: any constant expression up to 1024.
#include <cuda_runtime.h>

#define BLOCK 1024

__global__ void reduce_by_key_kernel(const int* keys, const int* values, int* run_keys, int* sums, int* count, int N) {
    // How many runs have begun in the pieces before.
    int carry = 0;

    for (int start = 0; start < N; start += BLOCK) {
        int i = start + threadIdx.x;
        bool head = i < N && (i == 0 || keys[i] != keys[i - 1]);

        // Your turn: how many runs have begun up to this thread? That is the number of its run, from 1. Whoever begins
        // a run stores its key; everybody adds its value to the sum of the run.
    }
    // At the end one thread stores the count.
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them. It may
// launch several kernels with many blocks instead.
extern "C" void solve(const int* keys, const int* values, int* run_keys, int* sums, int* count, int N) {
    cudaMemset(run_keys, 0, N * sizeof(int));
    cudaMemset(sums, 0, N * sizeof(int));
    cudaMemset(count, 0, sizeof(int));
    reduce_by_key_kernel<<<1, BLOCK>>>(keys, values, run_keys, sums, count, N);
}
