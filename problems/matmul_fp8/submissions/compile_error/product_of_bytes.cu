// expect: compile_error
//
// fp8 matrix multiplication that multiplies 8-bit floats.
//
// They can be converted, and that is all: there is no arithmetic on them.

#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void matmul_fp8_kernel(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a,
                                  const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int n = 0; n < N; n++) {
            sum += __hmul(A[row * N + n], B[column * N + n]);  // <- here
        }
        C[row * K + column] = __float2bfloat16(scale_a[row] * scale_b[column] * sum);
    }
}
