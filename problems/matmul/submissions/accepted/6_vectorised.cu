// expect: accepted
//
// Matrix multiplication, step 6: four floats an instruction, and 4 x 4 blocks in registers.
//
// Added to step 5: a thread holds 4 x 4 elements of C, so that 8 floats from shared memory serve 16
// multiplications, and it reads those 8 floats with two float4 loads. There are 16 groups of 64 threads; a slab is
// 64 deep, which makes exactly one float4 from global memory for each of the 1024 threads. A quarter of the memory
// instructions moves the same bytes. Where a row of the matrix is not a multiple of four floats, a float4 would be
// misaligned: there, and at the edges, four single loads take its place.
//
// The tiles are dead once the last slab is done, so the partial sums use the same shared memory.

#define TILE 32

constexpr int DEPTH = 64;                               // k of a slab
constexpr int FOUR = 4;                                 // floats in a float4, and the side of a thread's block of C
constexpr int GROUP_SIDE = TILE / FOUR;                 // a group is 8 x 8 threads
constexpr int GROUP_SIZE = GROUP_SIDE * GROUP_SIDE;
constexpr int GROUPS = TILE * TILE / GROUP_SIZE;        // 16
constexpr int PITCH = TILE + FOUR;                      // padded row of tile_A, still a multiple of 16 bytes
constexpr int HALF = GROUPS / 2;

static_assert(DEPTH * (PITCH + TILE) <= HALF * TILE * TILE, "the tiles must fit where the partial sums go");

// Elements column ... column + 3 of a row; zeros where the matrix has none.
__device__ float4 load_four(const float* matrix, int rows, int columns, int row, int column) {
    if (row >= rows) {
        return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    const float* first = matrix + row * columns + column;
    if (columns % FOUR == 0 && column < columns) {
        return *reinterpret_cast<const float4*>(first);
    }
    return make_float4(column + 0 < columns ? first[0] : 0.0f, column + 1 < columns ? first[1] : 0.0f,
                       column + 2 < columns ? first[2] : 0.0f, column + 3 < columns ? first[3] : 0.0f);
}

__global__ void __launch_bounds__(TILE * TILE)
    matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ __align__(16) float storage[HALF * TILE * TILE];
    float* tile_A = storage;                            // [DEPTH][PITCH], transposed: four rows of A lie side by side
    float* tile_B = storage + DEPTH * PITCH;            // [DEPTH][TILE]

    const int rank = threadIdx.y * TILE + threadIdx.x;
    const int first_row = blockIdx.y * TILE;
    const int first_column = blockIdx.x * TILE;

    const int group = rank / GROUP_SIZE;
    const int group_x = rank % GROUP_SIZE % GROUP_SIDE * FOUR;
    const int group_y = rank % GROUP_SIZE / GROUP_SIDE * FOUR;

    float sum[FOUR][FOUR] = {};
    for (int start = 0; start < N; start += DEPTH) {
        // The first half of the threads loads A, the second half B.
        if (rank < TILE * TILE / 2) {
            const int row = rank / (DEPTH / FOUR);
            const int k = rank % (DEPTH / FOUR) * FOUR;
            const float4 four = load_four(A, M, N, first_row + row, start + k);
            tile_A[(k + 0) * PITCH + row] = four.x;
            tile_A[(k + 1) * PITCH + row] = four.y;
            tile_A[(k + 2) * PITCH + row] = four.z;
            tile_A[(k + 3) * PITCH + row] = four.w;
        } else {
            const int k = (rank - TILE * TILE / 2) / GROUP_SIDE;
            const int column = rank % GROUP_SIDE * FOUR;
            const float4 four = load_four(B, N, K, start + k, first_column + column);
            *reinterpret_cast<float4*>(tile_B + k * TILE + column) = four;
        }
        __syncthreads();

#pragma unroll
        for (int k = group; k < DEPTH; k += GROUPS) {
            const float4 a4 = *reinterpret_cast<const float4*>(tile_A + k * PITCH + group_y);
            const float4 b4 = *reinterpret_cast<const float4*>(tile_B + k * TILE + group_x);
            const float a[FOUR] = {a4.x, a4.y, a4.z, a4.w};
            const float b[FOUR] = {b4.x, b4.y, b4.z, b4.w};
#pragma unroll
            for (int i = 0; i < FOUR; ++i) {
#pragma unroll
                for (int j = 0; j < FOUR; ++j) {
                    sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
                }
            }
        }
        __syncthreads();
    }

    // The upper groups hand their sums to the lower ones, for all sixteen would not fit into shared memory at once.
    float* partial = storage + group % HALF * TILE * TILE + group_y * TILE + group_x;
    if (group >= HALF) {
        for (int i = 0; i < FOUR; ++i) {
            *reinterpret_cast<float4*>(partial + i * TILE) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
        }
    }
    __syncthreads();
    if (group < HALF) {
        for (int i = 0; i < FOUR; ++i) {
            for (int j = 0; j < FOUR; ++j) {
                partial[i * TILE + j] += sum[i][j];
            }
        }
    }
    __syncthreads();

    const int row = first_row + threadIdx.y;
    const int column = first_column + threadIdx.x;
    if (row < M && column < K) {
        float total = 0.0f;
        for (int g = 0; g < HALF; ++g) {
            total += storage[g * TILE * TILE + rank];
        }
        C[row * K + column] = total;
    }
}
