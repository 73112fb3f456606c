// expect: accepted
//
// Matrix multiplication, the ladder's step 5: four floats an instruction.
//
// Added to step 4: a thread makes four neighbours of a row of C. It reads the four of B as one float4, multiplies
// them by one element of A, and stores its results as one float4; the tiles come from global memory as float4 as
// well. Two reads from shared memory serve four multiplications instead of one. A block of 512 threads makes 32 x 64
// elements. Where rows of a matrix do not begin at multiples of 16 bytes, four single accesses take a float4's place.
// Expected: twice step 4.

#include <cuda_runtime.h>

constexpr int FOUR = 4;                                 // floats in a float4
constexpr int TILE_M = 32;                              // rows of C that a block makes
constexpr int TILE_N = 64;                              // columns of C that a block makes
constexpr int DEPTH = 32;                               // k of a slab
constexpr int PITCH = TILE_M + 1;                       // of a row of the transposed tile of A: few bank conflicts
constexpr int THREADS = TILE_M * TILE_N / FOUR;

static_assert(TILE_N * DEPTH == FOUR * THREADS && TILE_M * DEPTH <= FOUR * THREADS, "a float4 a thread fills a tile");

// Elements column ... column + 3 of a row; zeros where the matrix has none.
__device__ float4 load(const float* matrix, int rows, int columns, int row, int column) {
    if (row >= rows) {
        return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    const float* first = matrix + static_cast<long long>(row) * columns + column;
    if (columns % FOUR == 0 && column < columns) {
        return *reinterpret_cast<const float4*>(first);
    }
    return make_float4(column + 0 < columns ? first[0] : 0.0f, column + 1 < columns ? first[1] : 0.0f,
                       column + 2 < columns ? first[2] : 0.0f, column + 3 < columns ? first[3] : 0.0f);
}

__global__ void __launch_bounds__(THREADS)
    multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float tile_A[DEPTH][PITCH];
    __shared__ __align__(16) float tile_B[DEPTH][TILE_N];

    const int first_row = blockIdx.y * TILE_M;
    const int first_column = blockIdx.x * TILE_N;
    const int row = threadIdx.x / (TILE_N / FOUR);
    const int column = threadIdx.x % (TILE_N / FOUR) * FOUR;
    float sum[FOUR] = {};
    for (int start = 0; start < N; start += DEPTH) {
        if (threadIdx.x < TILE_M * DEPTH / FOUR) {
            const int from = threadIdx.x / (DEPTH / FOUR);
            const int k = threadIdx.x % (DEPTH / FOUR) * FOUR;
            const float4 four = load(A, M, N, first_row + from, start + k);
            tile_A[k + 0][from] = four.x;
            tile_A[k + 1][from] = four.y;
            tile_A[k + 2][from] = four.z;
            tile_A[k + 3][from] = four.w;
        }
        *reinterpret_cast<float4*>(&tile_B[row][column]) = load(B, N, K, start + row, first_column + column);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            const float a = tile_A[k][row];
            const float4 b = *reinterpret_cast<const float4*>(&tile_B[k][column]);
            sum[0] += a * b.x;
            sum[1] += a * b.y;
            sum[2] += a * b.z;
            sum[3] += a * b.w;
        }
        __syncthreads();
    }
    if (first_row + row >= M) {
        return;
    }
    float* to = C + static_cast<long long>(first_row + row) * K + first_column + column;
    if (K % FOUR == 0 && first_column + column < K) {
        *reinterpret_cast<float4*>(to) = make_float4(sum[0], sum[1], sum[2], sum[3]);
    } else {
        for (int i = 0; i < FOUR; ++i) {
            if (first_column + column + i < K) {
                to[i] = sum[i];
            }
        }
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const dim3 grid((K + TILE_N - 1) / TILE_N, (M + TILE_M - 1) / TILE_M);
    multiply<<<grid, THREADS>>>(A, B, C, M, N, K);
}
