// expect: accepted
//
// Quantised matrix multiplication, step 4: tensor cores, by way of wmma.
//
// Added to step 3: a warp multiplies 16 x 16 x 16 bytes with one instruction. The block's tile of C is four such
// squares, but it has 32 warps: eight of them share a square, each with 16 of the 128 terms of a round, and the threads
// add up what the eight have at the end. In shared memory each square's bytes lie together, those of B by columns: its
// rows of 16 bytes then cover all banks. There are four times fewer barriers and next to no arithmetic: expect two to
// three times the speed of step 3, and more from larger tiles of C.

#define TILE 32

#include <mma.h>

using namespace nvcuda;

constexpr int SIDE = 16;                        // of what a warp multiplies at once
constexpr int SQUARES = TILE / SIDE;            // of a tile's side
constexpr int SLICES = 32 / SQUARES / SQUARES;  // warps that share a square
constexpr int DEPTH = SLICES * SIDE;            // terms of a round

__global__ void matmul_int8_kernel(const signed char* __restrict__ A, const signed char* __restrict__ B,
                                   const float* __restrict__ scale, signed char* __restrict__ C, int M, int N, int K) {
    __shared__ __align__(32) signed char a[SLICES][TILE][SIDE];
    __shared__ __align__(32) signed char b[SLICES][TILE][SIDE];
    __shared__ __align__(32) int parts[SLICES][SQUARES * SQUARES][SIDE][SIDE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int thread = y * TILE + x;
    int warp = thread / 32;
    int slice = warp % SLICES;
    int square = warp / SLICES;
    int top = square / SQUARES * SIDE;
    int left = square % SQUARES * SIDE;
    int first_row = blockIdx.y * TILE;
    int first_column = blockIdx.x * TILE;

    wmma::fragment<wmma::matrix_a, SIDE, SIDE, SIDE, signed char, wmma::row_major> mine_a;
    wmma::fragment<wmma::matrix_b, SIDE, SIDE, SIDE, signed char, wmma::col_major> mine_b;
    wmma::fragment<wmma::accumulator, SIDE, SIDE, SIDE, int> sum;
    wmma::fill_fragment(sum, 0);
    for (int first = 0; first < N; first += DEPTH) {
        for (int i = thread; i < TILE * DEPTH; i += TILE * TILE) {
            int row = i / DEPTH;
            int k = i % DEPTH;
            bool inside = first_row + row < M && first + k < N;
            a[k / SIDE][row][k % SIDE] = inside ? A[(first_row + row) * N + first + k] : 0;
        }
        for (int i = thread; i < DEPTH * TILE; i += TILE * TILE) {
            int k = i / TILE;
            int column = i % TILE;
            bool inside = first + k < N && first_column + column < K;
            b[k / SIDE][column][k % SIDE] = inside ? B[(first + k) * K + first_column + column] : 0;
        }
        __syncthreads();
        wmma::load_matrix_sync(mine_a, &a[slice][top][0], SIDE);
        wmma::load_matrix_sync(mine_b, &b[slice][left][0], SIDE);
        wmma::mma_sync(sum, mine_a, mine_b, sum);
        __syncthreads();
    }
    wmma::store_matrix_sync(&parts[slice][square][0][0], sum, SIDE, wmma::mem_row_major);
    __syncthreads();
    int row = first_row + y;
    int column = first_column + x;
    if (row < M && column < K) {
        int total = 0;
        for (int s = 0; s < SLICES; s++) {
            total += parts[s][y / SIDE * SQUARES + x / SIDE][y % SIDE][x % SIDE];
        }
        int result = __float2int_rn(total * scale[column]);
        C[row * K + column] = min(max(result, -128), 127);
    }
}
