// expect: accepted
//
// Small Cholesky, step 3: a lane for each column, all numbers in registers.
//
// Added to step 2: what is left of the matrix stays symmetric, so lane j keeps all of column j, which is row j as well.
// When column k is due, its numbers go round by shuffles, and each lane behind it takes its share out of its own
// column; its factor is its own number in row k. So a product takes one shuffle and one multiply-add, where step 2 read
// shared memory twice. Registers have no index at run time: every column moves the numbers up by one, so that row k is
// always in the first, and after eight columns there are eight rows less. A row is stored when it is done, scaled by
// each lane's own number on the diagonal. Shared memory only mirrors the triangle. Expect half the time of step 2.

#define WARPS 4
#define LARGEST 32
#define FEWER 8

// Columns from `first` on, of a matrix whose rows from there on are in `column`.
template <int ROWS>
__device__ __forceinline__ void eliminate(float (&column)[ROWS], float& scale, float* __restrict__ result, int first,
                                          int N) {
    const int lane = threadIdx.x;
#pragma unroll 1
    for (int k = first; k < min(first + FEWER, N); k++) {
        const float pivot = __shfl_sync(0xffffffff, column[0], k);
        scale = lane == k ? rsqrtf(pivot) : scale;
        if (lane < N) {
            result[k * N + lane] = lane <= k ? column[0] * scale : 0.0f;
        }
        const float share = lane > k ? column[0] * (-1.0f / pivot) : 0.0f;
#pragma unroll
        for (int i = 1; i < ROWS; i++) {
            column[i - 1] = fmaf(share, __shfl_sync(0xffffffff, column[i], k), column[i]);
        }
    }
    if constexpr (ROWS > FEWER) {
        float rest[ROWS - FEWER];
#pragma unroll
        for (int i = 0; i < ROWS - FEWER; i++) {
            rest[i] = column[i];
        }
        eliminate(rest, scale, result, first + FEWER, N);
    }
}

template <int ROWS>
__device__ __forceinline__ void factor(const float* __restrict__ own, float* __restrict__ result,
                                       float (&rows)[LARGEST][LARGEST + 1], int N, float ridge) {
    const int lane = threadIdx.x;
#pragma unroll 8
    for (int i = 0; i < N; i++) {
        if (lane <= i) {
            rows[i][lane] = own[i * N + lane] + (lane == i ? ridge : 0.0f);
        }
    }
    for (int i = N; i < ROWS; i++) {
        rows[i][lane] = 0.0f;
    }
    __syncwarp();
    const float* numbers = rows[0];
    const int row = min(lane, ROWS - 1);
    float column[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        column[i] = numbers[row <= i ? i * (LARGEST + 1) + row : row * (LARGEST + 1) + i];
    }
    float scale = 0.0f;
    eliminate(column, scale, result, 0, N);
}

__global__ void __launch_bounds__(32 * WARPS)
    cholesky_kernel(const float* __restrict__ A, float* __restrict__ L, int BATCH, int N, float ridge) {
    __shared__ float matrices[WARPS][LARGEST][LARGEST + 1];
    const int matrix = blockIdx.x * WARPS + threadIdx.y;
    if (matrix >= BATCH) {
        return;
    }
    const float* own = A + (size_t)matrix * N * N;
    float* result = L + (size_t)matrix * N * N;
    if (N <= LARGEST / 2) {
        factor<LARGEST / 2>(own, result, matrices[threadIdx.y], N, ridge);
    } else {
        factor<LARGEST>(own, result, matrices[threadIdx.y], N, ridge);
    }
}
