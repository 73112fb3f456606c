// expect: accepted
//
// Sparse matrix times vector, step 1: one thread goes through a row.
//
// Neighbouring threads read entries of different rows, a row's length apart: each read of a warp is up to 32 pieces
// of memory.

__global__ void spmv_kernel(const int* offsets, const int* columns, const float* values, const float* x, float* y,
                            int M, int N, int NNZ) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M) {
        float sum = 0.0f;
        for (int k = offsets[row]; k < offsets[row + 1]; k++) {
            sum += values[k] * x[columns[k]];
        }
        y[row] = sum;
    }
}
