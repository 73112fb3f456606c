// expect: wrong_answer
//
// Prefix sum with running totals in half precision.
//
// A total of a thousand elements leaves a half one or two digits behind the point, and small elements are lost in it.

#include <cuda_fp16.h>

__global__ void prefix_sum_kernel(const float* input, float* output, int M, int N) {
    if (threadIdx.x == 0) {
        __half sum = __float2half(0.0f);
        for (int j = 0; j < N; ++j) {
            sum = __hadd(sum, __float2half(input[blockIdx.x * N + j]));
            output[blockIdx.x * N + j] = __half2float(sum);
        }
    }
}
