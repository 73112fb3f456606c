// expect: wrong_answer wrong_value
//
// Sparse matrix times vector in which a warp makes 64 rounds at most.
//
// That is enough for 2048 entries, and some matrices have a row that is longer.

constexpr int ROUNDS = 64;

__global__ void spmv_kernel(const int* offsets, const int* columns, const float* values, const float* x, float* y,
                            int M, int N, int NNZ) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= M) {
        return;
    }
    float sum = 0.0f;
    int end = min(offsets[row + 1], offsets[row] + 32 * ROUNDS);
    for (int k = offsets[row] + lane; k < end; k += 32) {
        sum += values[k] * x[columns[k]];
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }
    if (lane == 0) {
        y[row] = sum;
    }
}
