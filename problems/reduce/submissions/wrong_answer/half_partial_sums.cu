// expect: wrong_answer low_precision
//
// Reduction that keeps the threads' sums in half precision.
//
// The student halved the shared memory that the block needs, and still adds up in fp32. But a half has 11
// significant bits: each sum is off by up to 2^-12 of its size once it is stored, and no later addition mends that.

#include <cuda_fp16.h>

#define BLOCK 256

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ __half partial[BLOCK];

    float sum = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        sum += input[i];
    }
    partial[threadIdx.x] = __float2half(sum);
    __syncthreads();

    if (threadIdx.x == 0) {
        float block_sum = 0.0f;
        for (int i = 0; i < BLOCK; ++i) {
            block_sum += __half2float(partial[i]);
        }
        atomicAdd(output, block_sum);
    }
}
