// expect: wrong_answer wrong_value
//
// Reduction whose second kernel adds up the first 256 block sums only.
//
// The student launches as many blocks as the input needs, and then one block with one thread for each block sum. From
// 257 blocks on, the others are left out.

#include <cuda_runtime.h>

constexpr int BLOCK = 256;

__global__ void sum_of_block(const float* input, float* sums, int N) {
    __shared__ float shared[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    shared[threadIdx.x] = i < N ? input[i] : 0.0f;
    __syncthreads();

    for (int width = BLOCK / 2; width > 0; width /= 2) {
        if (threadIdx.x < width) {
            shared[threadIdx.x] += shared[threadIdx.x + width];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = shared[0];
    }
}

extern "C" void solve(const float* input, float* output, int N) {
    int blocks = (N + BLOCK - 1) / BLOCK;
    float* sums;
    cudaMalloc(&sums, blocks * sizeof(float));
    sum_of_block<<<blocks, BLOCK>>>(input, sums, N);
    sum_of_block<<<1, BLOCK>>>(sums, output, blocks);
    cudaFree(sums);
}
