// expect: accepted
//
// Quantised matrix multiplication, step 4: tensor cores, by way of wmma.
//
// Added to step 3: a warp multiplies 16 x 16 x 16 bytes with one instruction. The block's tile of C is four such
// squares, but it has 32 warps: eight of them share a square, each with 16 of the 128 terms of a round, and the threads
// add up what the eight have at the end. Both tiles lie in shared memory as they do in memory, so that a thread copies
// four bytes at once; where rows begin anywhere, a funnel shift cuts them out of two words. Rows there are 16 bytes
// longer, which spreads them over the banks. There are four times fewer barriers and next to no arithmetic: expect up to
// twice the speed of step 3, and more from larger tiles of C.

#define TILE 32

// Of 1024 threads two blocks fit on the multiprocessors of a data centre's GPUs, one on others: two need the compiler to
// do with 32 registers a thread.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ % 100 == 0
#define BLOCKS 2
#else
#define BLOCKS 1
#endif

#include <mma.h>

using namespace nvcuda;

constexpr int SIDE = 16;                        // of what a warp multiplies at once
constexpr int SQUARES = TILE / SIDE;            // of a tile's side
constexpr int SLICES = 32 / SQUARES / SQUARES;  // warps that share a square
constexpr int DEPTH = SLICES * SIDE;            // terms of a round

// Copies a tile of HEIGHT x WIDTH bytes from (first_row, first_column), four a thread; zeros where the matrix ends.
template <int HEIGHT, int WIDTH>
__device__ __forceinline__ void copy(signed char (*tile)[WIDTH + 16], const signed char* __restrict__ from, int first_row,
                                     int first_column, int rows, int columns, int thread) {
    int row = first_row + thread / (WIDTH / 4);
    int column = first_column + thread % (WIDTH / 4) * 4;
    const signed char* at = from + row * columns + column;
    unsigned four = 0;
    if (columns % 4 == 0) {
        if (row < rows && column < columns) {
            four = *reinterpret_cast<const unsigned*>(at);
        }
    } else if (row < rows && column + 4 <= columns && at + 8 <= from + rows * columns) {
        // They begin anywhere; two words hold them.
        unsigned shift = (size_t)at % 4;
        const unsigned* words = reinterpret_cast<const unsigned*>(at - shift);
        four = __funnelshift_r(words[0], words[1], 8 * shift);
    } else if (row < rows) {
        for (int k = 0; k < 4 && column + k < columns; k++) {
            four |= (unsigned)(unsigned char)at[k] << 8 * k;
        }
    }
    *reinterpret_cast<unsigned*>(&tile[row - first_row][column - first_column]) = four;
}

__global__ void __launch_bounds__(TILE * TILE, BLOCKS)
    matmul_int8_kernel(const signed char* __restrict__ A, const signed char* __restrict__ B,
                       const float* __restrict__ scale, signed char* __restrict__ C, int M, int N, int K) {
    __shared__ __align__(32) signed char a[TILE][DEPTH + 16];
    __shared__ __align__(32) signed char b[DEPTH][TILE + 16];
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
    wmma::fragment<wmma::matrix_b, SIDE, SIDE, SIDE, signed char, wmma::row_major> mine_b;
    wmma::fragment<wmma::accumulator, SIDE, SIDE, SIDE, int> sum;
    wmma::fill_fragment(sum, 0);
    for (int first = 0; first < N; first += DEPTH) {
        copy<TILE, DEPTH>(a, A, first_row, first, M, N, thread);
        copy<DEPTH, TILE>(b, B, first, first_column, N, K, thread);
        __syncthreads();
        wmma::load_matrix_sync(mine_a, &a[top][slice * SIDE], DEPTH + 16);
        wmma::load_matrix_sync(mine_b, &b[slice * SIDE][left], TILE + 16);
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
