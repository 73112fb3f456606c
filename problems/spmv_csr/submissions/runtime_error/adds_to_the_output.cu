// expect: runtime_error uninitialized_read
//
// Sparse matrix times vector that adds up in y.
//
// y does not start as zeros.

__global__ void spmv_kernel(const int* offsets, const int* columns, const float* values, const float* x, float* y,
                            int M, int N, int NNZ) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M) {
        float sum = y[row];  // <- here
        for (int k = offsets[row]; k < offsets[row + 1]; k++) {
            sum += values[k] * x[columns[k]];
        }
        y[row] = sum;
    }
}
