// expect: accepted
//
// Small Cholesky, step 3: a lane for each column, all numbers in registers.
//
// Added to step 2: no shared memory. Lane k keeps column k; when it is done, its numbers go round by shuffles, and each
// lane takes its share out of its own column. Its factor is the number in its own row, which passes by just in time.
// Shuffles take the place of step 2's two reads of shared memory for each product, and reading and writing are by whole
// rows. What is saved in waiting is paid in work: the loop tests all 32 rows for each column, and the instructions are
// nearly twice those of step 2. Expect no gain yet; it comes when the loop over columns is unrolled as well.

#define WARPS 4
#define LARGEST 32

__global__ void __launch_bounds__(32 * WARPS)
    cholesky_kernel(const float* __restrict__ A, float* __restrict__ L, int BATCH, int N, float ridge) {
    int matrix = blockIdx.x * WARPS + threadIdx.y;
    if (matrix >= BATCH) {
        return;
    }
    const float* own = A + (size_t)matrix * N * N;
    float* result = L + (size_t)matrix * N * N;
    int lane = threadIdx.x;
    float column[LARGEST];
#pragma unroll
    for (int i = 0; i < LARGEST; i++) {
        column[i] = 0.0f;
        if (i < N && lane < i) {
            column[i] = own[i * N + lane];
        }
    }
    // This lane's number on the diagonal, kept up to date apart from its column.
    float diagonal = lane < N ? own[lane * N + lane] + ridge : 0.0f;
    for (int k = 0; k < N; k++) {
        float root = sqrtf(__shfl_sync(0xffffffff, diagonal, k));
        float inverse = 1.0f / root;
        // 0 until this lane's own row comes: rows above it are not part of its column.
        float factor = 0.0f;
#pragma unroll
        for (int i = 0; i < LARGEST; i++) {
            if (i > k) {
                float passing = __shfl_sync(0xffffffff, column[i], k) * inverse;
                factor = lane == i ? passing : factor;
                column[i] = lane == k ? passing : column[i] - factor * passing;
            }
        }
        diagonal = lane == k ? root : diagonal - factor * factor;
    }
#pragma unroll
    for (int i = 0; i < LARGEST; i++) {
        if (i < N && lane < N) {
            result[i * N + lane] = lane < i ? column[i] : lane == i ? diagonal : 0.0f;
        }
    }
}
