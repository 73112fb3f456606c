// expect: accepted
//
// Small Cholesky, step 3: a lane for each column, all numbers in registers.
//
// Added to step 2: what is left of the matrix stays symmetric, so lane j keeps all of column j, which is row j as well.
// When column k is due, its numbers go round by shuffles, and each lane behind it takes its share out of its own
// column; its factor is its own number in row k. So a product takes one shuffle and one multiply-add, where step 2 read
// shared memory twice. Loops over columns and rows are unrolled: registers have no index at run time. Columns are
// scaled at the end. Shared memory only mirrors the triangle. Matrices of up to 16 rows have code of their own, with a
// quarter of the updates. Expect half the time of step 2.

#define WARPS 4
#define LARGEST 32

template <int SIDE>
__device__ __forceinline__ void factor(const float* __restrict__ own, float* __restrict__ result,
                                       float (&rows)[LARGEST][LARGEST + 1], int N, float ridge) {
    const int lane = threadIdx.x;
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
        if (i < N && lane <= i) {
            rows[i][lane] = own[i * N + lane] + (lane == i ? ridge : 0.0f);
        }
    }
    __syncwarp();
    float column[SIDE];
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
        column[i] = i < N && lane < N ? rows[max(i, lane)][min(i, lane)] : 0.0f;
    }
    // The square of this lane's number on the diagonal of L.
    float square = 1.0f;
#pragma unroll
    for (int k = 0; k < SIDE; k++) {
        if (k < N) {
            const float pivot = __shfl_sync(0xffffffff, column[k], k);
            square = lane == k ? pivot : square;
            const float share = lane > k ? column[k] * (1.0f / pivot) : 0.0f;
#pragma unroll
            for (int i = k + 1; i < SIDE; i++) {
                column[i] -= share * __shfl_sync(0xffffffff, column[i], k);
            }
        }
    }
    const float scale = rsqrtf(square);
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
        if (i < N && lane < N) {
            result[i * N + lane] = lane <= i ? column[i] * scale : 0.0f;
        }
    }
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
    if (N <= 16) {
        factor<16>(own, result, matrices[threadIdx.y], N, ridge);
    } else {
        factor<LARGEST>(own, result, matrices[threadIdx.y], N, ridge);
    }
}
