// expect: accepted
//
// Half-precision matrix multiplication, step 4: tensor cores, by way of wmma.
//
// Added to step 3: a warp multiplies 16 x 16 x 16 numbers with one instruction. The block's tile of C is four such
// squares, but it has 32 warps: eight of them share a square, each with 16 of the 128 terms of a round, and add up what
// they have at the end. The tiles stay halves, and there are four times fewer barriers. Arithmetic is next to free now
// and the time goes into bringing tiles: expect two to four times the speed of step 3. For more, a block needs a
// larger tile of C, and loads that go on while it multiplies.

#define TILE 32

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int SIDE = 16;                        // of what a warp multiplies at once
constexpr int SQUARES = TILE / SIDE;            // of a tile's side
constexpr int SLICES = 32 / SQUARES / SQUARES;  // warps that share a square
constexpr int DEPTH = SLICES * SIDE;            // terms of a round
constexpr int PAD = 8;                          // elements behind a row: rows begin in different banks

__global__ void matmul_fp16_kernel(const half* __restrict__ A, const half* __restrict__ B, half* __restrict__ C, int M,
                                   int N, int K) {
    __shared__ __align__(32) half a[TILE][DEPTH + PAD];
    __shared__ __align__(32) half b[DEPTH][TILE + PAD];
    __shared__ __align__(32) float parts[SLICES / 2][SQUARES * SQUARES][SIDE * (SIDE + PAD)];
    int thread = threadIdx.y * TILE + threadIdx.x;
    int warp = thread / 32;
    int slice = warp % SLICES;
    int square = warp / SLICES;
    int top = square / SQUARES * SIDE;
    int left = square % SQUARES * SIDE;
    int first_row = blockIdx.y * TILE;
    int first_column = blockIdx.x * TILE;
    const half zero = __float2half(0.0f);

    wmma::fragment<wmma::matrix_a, SIDE, SIDE, SIDE, half, wmma::row_major> mine_a;
    wmma::fragment<wmma::matrix_b, SIDE, SIDE, SIDE, half, wmma::row_major> mine_b;
    wmma::fragment<wmma::accumulator, SIDE, SIDE, SIDE, float> sum, other;
    wmma::fill_fragment(sum, 0.0f);
    for (int first = 0; first < N; first += DEPTH) {
        for (int i = thread; i < TILE * DEPTH; i += TILE * TILE) {
            int row = first_row + i / DEPTH;
            int k = first + i % DEPTH;
            a[i / DEPTH][i % DEPTH] = row < M && k < N ? A[row * N + k] : zero;
        }
        for (int i = thread; i < DEPTH * TILE; i += TILE * TILE) {
            int k = first + i / TILE;
            int column = first_column + i % TILE;
            b[i / TILE][i % TILE] = k < N && column < K ? B[k * K + column] : zero;
        }
        __syncthreads();
        wmma::load_matrix_sync(mine_a, &a[top][slice * SIDE], DEPTH + PAD);
        wmma::load_matrix_sync(mine_b, &b[slice * SIDE][left], TILE + PAD);
        wmma::mma_sync(sum, mine_a, mine_b, sum);
        __syncthreads();
    }

    // The upper half of the slices hands its sums to the lower half, until one has them all.
    for (int half_of = SLICES / 2; half_of > 0; half_of /= 2) {
        if (slice >= half_of && slice < 2 * half_of) {
            wmma::store_matrix_sync(parts[slice - half_of][square], sum, SIDE + PAD, wmma::mem_row_major);
        }
        __syncthreads();
        if (slice < half_of) {
            wmma::load_matrix_sync(other, parts[slice][square], SIDE + PAD, wmma::mem_row_major);
            for (int i = 0; i < sum.num_elements; i++) {
                sum.x[i] += other.x[i];
            }
        }
        __syncthreads();
    }
    if (slice == 0) {
        wmma::store_matrix_sync(parts[0][square], sum, SIDE + PAD, wmma::mem_row_major);
    }
    __syncthreads();
    int x = threadIdx.x;
    int y = threadIdx.y;
    if (first_row + y < M && first_column + x < K) {
        float result = parts[0][y / SIDE * SQUARES + x / SIDE][y % SIDE * (SIDE + PAD) + x % SIDE];
        C[(first_row + y) * K + first_column + x] = __float2half(result);
    }
}
