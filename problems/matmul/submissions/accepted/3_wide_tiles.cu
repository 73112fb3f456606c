// expect: accepted
//
// Matrix multiplication, step 3: the largest tile that a block can hold, and loops that the compiler unrolls.
//
// Added to step 2: TILE is 32, so a block has 1024 threads, each fetched element is used 32 times, and global
// traffic halves again. A warp is now one whole row of the tile: its reads of tile_A are one broadcast, its reads
// of tile_B touch 32 different banks. The size of the tile is a template parameter, so the inner loop has a fixed
// length and unrolls: no counter, no branch, and the addresses become constants inside the load instructions.

#define TILE (4 * 8)

// Copies the element (row, column) of a rows x columns matrix, or zero where there is none.
__device__ inline float element_or_zero(const float* matrix, int rows, int columns, int row, int column) {
    return row < rows && column < columns ? matrix[row * columns + column] : 0.0f;
}

template <int SIZE>
__device__ void multiply_tiles(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float tile_A[SIZE][SIZE];
    __shared__ float tile_B[SIZE][SIZE];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * SIZE + x;
    int row = blockIdx.y * SIZE + y;
    float sum = 0.0f;

    for (int start = 0; start < N; start += SIZE) {
        tile_A[y][x] = element_or_zero(A, M, N, row, start + x);
        tile_B[y][x] = element_or_zero(B, N, K, start + y, column);
        __syncthreads();

#pragma unroll
        for (int k = 0; k < SIZE; ++k) {
            sum += tile_A[y][k] * tile_B[k][x];
        }
        __syncthreads();
    }

    if (row < M && column < K) {
        C[row * K + column] = sum;
    }
}

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply_tiles<TILE>(A, B, C, M, N, K);
}
