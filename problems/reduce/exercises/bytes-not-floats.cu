#include <algorithm>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;

__global__ void sum_of_block(const float* input, float* sums, int N) {
    __shared__ float shared[BLOCK];
    float sum = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        sum += input[i];
    }
    shared[threadIdx.x] = sum;
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
    int blocks = std::min((N + BLOCK - 1) / BLOCK, 1024);
    float* sums = nullptr;
    cudaMalloc(&sums, blocks);
    sum_of_block<<<blocks, BLOCK>>>(input, sums, N);
    sum_of_block<<<1, BLOCK>>>(sums, output, blocks);
    cudaFree(sums);
}
