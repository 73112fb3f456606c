// Stream compaction: the positive elements of the input in their order, then zeros, and how many they are.
//
// The kernel gets one block of BLOCK threads. You may change the number: any constant expression up to 1024.
#include <cuda_runtime.h>

#define BLOCK 1024

__global__ void compaction_kernel(const float* input, float* output, int* count, int N) {
    // How many elements of the pieces before are kept.
    int carry = 0;

    for (int start = 0; start < N; start += BLOCK) {
        int i = start + threadIdx.x;
        bool kept = i < N && input[i] > 0;

        // Your turn: how many threads before this one keep their element? That and the carry is the place of the
        // element in the output.
    }
    // At the end one thread stores the count.
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them. It may
// launch several kernels with many blocks instead.
extern "C" void solve(const float* input, float* output, int* count, int N) {
    cudaMemset(output, 0, N * sizeof(float));
    cudaMemset(count, 0, sizeof(int));
    compaction_kernel<<<1, BLOCK>>>(input, output, count, N);
}
