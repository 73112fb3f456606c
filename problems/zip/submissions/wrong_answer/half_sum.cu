// expect: wrong_answer low_precision
//
// Vector addition in half precision.
//
// The student wanted twice the speed. The arrays are fp32 and move just as many bytes as before, and a half keeps
// 11 of the sum's 24 significant bits.

#include <cuda_fp16.h>

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        __half sum = __hadd(__float2half(a[i]), __float2half(b[i]));
        output[i] = __half2float(sum);
    }
}
