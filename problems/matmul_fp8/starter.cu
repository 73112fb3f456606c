// fp8 matrix multiplication: C (M x K) = A (M x N) times the transpose of B (K x N), 8-bit floats, sums in fp32. Row i
// of C is multiplied by scale_a[i], column j by scale_b[j].
//
// The kernel gets one thread for each element of C, in square blocks of TILE x TILE threads. You may change the number:
// any constant expression up to 32, for a block has at most 1024 threads.
#define TILE 16

#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void matmul_fp8_kernel(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a,
                                  const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    // The grid is rounded up to whole blocks: some threads lie outside of C and must not touch memory.
    if (row < M && column < K) {
        float sum = 0.0f;
        // Your turn: add up the products of row `row` of A and row `column` of B; float(x) converts an 8-bit float.
        // Then the scales.
        C[row * K + column] = __float2bfloat16(sum);
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a, const float* scale_b,
                      __nv_bfloat16* C, int M, int N, int K) {
    dim3 block(TILE, TILE);
    dim3 grid((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    matmul_fp8_kernel<<<grid, block>>>(A, B, scale_a, scale_b, C, M, N, K);
}
