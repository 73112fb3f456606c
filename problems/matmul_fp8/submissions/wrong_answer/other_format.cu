// expect: wrong_answer wrong_value
//
// fp8 matrix multiplication that reads e5m2.
//
// The two 8-bit formats divide their bits differently between exponent and fraction.

#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void matmul_fp8_kernel(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a,
                                  const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int n = 0; n < N; n++) {
            __nv_fp8_e5m2 a;
            __nv_fp8_e5m2 b;
            a.__x = A[row * N + n].__x;
            b.__x = B[column * N + n].__x;
            sum += float(a) * float(b);
        }
        C[row * K + column] = __float2bfloat16(scale_a[row] * scale_b[column] * sum);
    }
}
