// expect: wrong_answer low_precision
//
// Dot product with elements in half precision and sums in fp32.
//
// The student followed what tensor cores do, fp16 in and fp32 out. The arrays are fp32, and rounding them to half
// loses 13 of their 24 significant bits before the sum begins.

#include <cuda_fp16.h>

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        sum += __half2float(__float2half(a[i])) * __half2float(__float2half(b[i]));
    }
    atomicAdd(output, sum);
}
