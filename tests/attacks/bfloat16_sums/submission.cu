// expect: wrong_answer low_precision
// problem: reduce
// row: 19
//
// Keeps partial sums in 16 bits.

#include <cuda_bf16.h>

__global__ void reduction_kernel(const float* input, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
        sum = __bfloat162float(__float2bfloat16(sum + __bfloat162float(__float2bfloat16(input[i]))));
    atomicAdd(output, sum);
}
