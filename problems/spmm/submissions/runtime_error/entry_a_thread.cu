// expect: runtime_error data_race
//
// Sparse matrix times dense matrix with a thread for each entry of a row, which add up without atomics.
//
// Each of them reads C, adds its product and stores: what the others add meanwhile is lost.

#define ROWS 8

__global__ void spmm_kernel(const int* offsets, const int* columns, const float* values, const float* B, float* C,
                            int M, int N, int K, int DEGREE) {
    int i = blockIdx.x * ROWS + threadIdx.y;
    if (i >= M) {
        return;
    }
    for (int k = blockIdx.y * 32; k < min(blockIdx.y * 32 + 32, K); k++) {
        if (threadIdx.x == 0) {
            C[(size_t)i * K + k] = 0.0f;
        }
        __syncwarp();
        for (int e = offsets[i] + threadIdx.x; e < offsets[i + 1]; e += 32) {
            C[(size_t)i * K + k] += values[e] * B[(size_t)columns[e] * K + k];
        }
    }
}
