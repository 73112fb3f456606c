// expect: runtime_error out_of_bounds
//
// Small Cholesky without a bounds check.
//
// The grid is rounded up to whole blocks; the last warps have no matrix.

#define WARPS 4
#define LARGEST 32

__global__ void cholesky_kernel(const float* __restrict__ A, float* __restrict__ L, int BATCH, int N, float ridge) {
    __shared__ float matrices[WARPS][LARGEST][LARGEST + 1];
    float(*rows)[LARGEST + 1] = matrices[threadIdx.y];
    int matrix = blockIdx.x * WARPS + threadIdx.y;
    const float* own = A + (size_t)matrix * N * N;
    float* result = L + (size_t)matrix * N * N;
    int lane = threadIdx.x;
    for (int i = 0; i < N; i++) {
        if (lane <= i) {
            rows[i][lane] = own[i * N + lane] + (lane == i ? ridge : 0.0f);  // <- here
        }
    }
    __syncwarp();
    for (int k = 0; k < N; k++) {
        float sum = 0.0f;
        if (lane >= k && lane < N) {
            sum = rows[lane][k];
            for (int j = 0; j < k; j++) {
                sum -= rows[lane][j] * rows[k][j];
            }
        }
        float root = sqrtf(__shfl_sync(0xffffffff, sum, k));
        if (lane >= k && lane < N) {
            rows[lane][k] = lane == k ? root : sum / root;
        }
        __syncwarp();
    }
    for (int i = 0; i < N; i++) {
        if (lane < N) {
            result[i * N + lane] = lane <= i ? rows[i][lane] : 0.0f;
        }
    }
}
