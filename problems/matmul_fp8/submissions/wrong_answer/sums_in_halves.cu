// expect: wrong_answer
//
// fp8 matrix multiplication whose sums are halves.
//
// The products fit into halves mostly; sums of large ones don't, and become infinite.

#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void matmul_fp8_kernel(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a,
                                  const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        half sum = __float2half(0.0f);
        for (int n = 0; n < N; n++) {
            sum = __hfma(half(A[row * N + n]), half(B[column * N + n]), sum);
        }
        C[row * K + column] = __float2bfloat16(scale_a[row] * scale_b[column] * __half2float(sum));
    }
}
