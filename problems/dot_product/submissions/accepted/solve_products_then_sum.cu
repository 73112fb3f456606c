// expect: accepted
//
// Dot product in two kernels: a partial sum for each thread of the first, and one block that adds these.
//
// Scratch memory takes the place of atomic operations, and the end of the first kernel is the barrier between the two.
// The additions have a fixed order, so that every run gives the same bits.

#include <algorithm>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;

__global__ void multiply(const float* a, const float* b, float* sums, int N) {
    int thread = blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0.0f;
    for (int i = thread; i < N; i += gridDim.x * BLOCK) {
        sum += a[i] * b[i];
    }
    sums[thread] = sum;
}

__global__ void add_up(const float* sums, float* output, int count) {
    __shared__ float partial[BLOCK];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < count; i += BLOCK) {
        sum += sums[i];
    }
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        output[0] = partial[0];
    }
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    int blocks = std::min((N + BLOCK - 1) / BLOCK, 64);
    float* sums;
    cudaMalloc(&sums, blocks * BLOCK * sizeof(float));
    multiply<<<blocks, BLOCK>>>(a, b, sums, N);
    add_up<<<1, BLOCK>>>(sums, output, blocks * BLOCK);
    cudaFree(sums);
}
