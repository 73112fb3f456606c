// expect: wrong_answer low_precision
//
// Half-precision matrix multiplication on tensor cores that keep their sums in halves.
//
// The student found that wmma takes an accumulator of half, which has the type of C already and needs no conversion at
// the end. But the sum is rounded to 11 bits after every 16 terms.

#define TILE 16

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

__global__ void matmul_fp16_kernel(const half* A, const half* B, half* C, int M, int N, int K) {
    __shared__ __align__(32) half a[TILE][TILE];
    __shared__ __align__(32) half b[TILE][TILE];
    __shared__ __align__(32) half c[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    bool first_warp = y < 2;
    const half zero = __float2half(0.0f);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> sum;
    wmma::fill_fragment(sum, zero);
    for (int first = 0; first < N; first += TILE) {
        a[y][x] = row < M && first + x < N ? A[row * N + first + x] : zero;
        b[y][x] = first + y < N && column < K ? B[(first + y) * K + column] : zero;
        __syncthreads();
        if (first_warp) {
            wmma::load_matrix_sync(left, &a[0][0], TILE);
            wmma::load_matrix_sync(right, &b[0][0], TILE);
            wmma::mma_sync(sum, left, right, sum);
        }
        __syncthreads();
    }
    if (first_warp) {
        wmma::store_matrix_sync(&c[0][0], sum, TILE, wmma::mem_row_major);
    }
    __syncthreads();
    if (row < M && column < K) {
        C[row * K + column] = c[y][x];
    }
}
