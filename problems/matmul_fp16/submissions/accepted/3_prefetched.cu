// expect: accepted
//
// Half-precision matrix multiplication, step 3: the next tile on its way while this one is multiplied.
//
// Added to step 2: a larger tile, each number used 32 times. The loads of the next tile are issued before the
// multiplications of this one and wait in two registers, so that the memory works while the arithmetic does. Expect
// half as much traffic and fewer waits; the next step would be tensor cores.

#define TILE 32

#include <cuda_fp16.h>

__global__ void matmul_fp16_kernel(const half* __restrict__ A, const half* __restrict__ B, half* __restrict__ C, int M,
                                   int N, int K) {
    __shared__ float a[TILE][TILE];
    __shared__ float b[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    const half zero = __float2half(0.0f);
    half next_a = row < M && x < N ? A[row * N + x] : zero;
    half next_b = y < N && column < K ? B[y * K + column] : zero;
    float sum = 0.0f;
    for (int first = 0; first < N; first += TILE) {
        a[y][x] = __half2float(next_a);
        b[y][x] = __half2float(next_b);
        __syncthreads();
        int next = first + TILE;
        next_a = row < M && next + x < N ? A[row * N + next + x] : zero;
        next_b = next + y < N && column < K ? B[(next + y) * K + column] : zero;
#pragma unroll
        for (int k = 0; k < TILE; k++) {
            sum += a[y][k] * b[k][x];
        }
        __syncthreads();
    }
    if (row < M && column < K) {
        C[row * K + column] = __float2half(sum);
    }
}
