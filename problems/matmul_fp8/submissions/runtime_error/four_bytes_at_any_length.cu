// expect: runtime_error misaligned
//
// fp8 matrix multiplication that loads four numbers at once.
//
// A word has to begin at a multiple of four bytes. Rows begin there only where N is one of four.

#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void matmul_fp8_kernel(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a,
                                  const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        float sum = 0.0f;
        int n = 0;
        for (; n + 4 <= N; n += 4) {
            float4 a = float4(*reinterpret_cast<const __nv_fp8x4_e4m3*>(A + row * N + n));  // <- here
            float4 b = float4(*reinterpret_cast<const __nv_fp8x4_e4m3*>(B + column * N + n));
            sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        }
        for (; n < N; n++) {
            sum += float(A[row * N + n]) * float(B[column * N + n]);
        }
        C[row * K + column] = __float2bfloat16(scale_a[row] * scale_b[column] * sum);
    }
}
