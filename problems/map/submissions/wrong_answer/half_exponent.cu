// expect: wrong_answer low_precision
//
// Sigmoid of a number rounded to half precision.
//
// The student learnt that half precision is good enough for activations, and it often is. It is not fp32: the
// exponent moves by up to 2^-12 of its size, and the result with it.

#include <cuda_fp16.h>

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        __half x = __float2half(input[i]);
        output[i] = 1.0f / (1.0f + expf(-__half2float(x)));
    }
}
