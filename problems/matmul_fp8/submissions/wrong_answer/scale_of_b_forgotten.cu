// expect: wrong_answer wrong_value
//
// fp8 matrix multiplication with one of the scales.
//
// The rows of both factors were divided by scales.

#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void matmul_fp8_kernel(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a,
                                  const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int n = 0; n < N; n++) {
            sum += float(A[row * N + n]) * float(B[column * N + n]);
        }
        C[row * K + column] = __float2bfloat16(scale_a[row] * sum);
    }
}
