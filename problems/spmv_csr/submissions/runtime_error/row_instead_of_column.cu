// expect: runtime_error out_of_bounds
//
// Sparse matrix times vector that takes x of the row.
//
// x has an element for each column; there may be fewer of them than rows.

__global__ void spmv_kernel(const int* offsets, const int* columns, const float* values, const float* x, float* y,
                            int M, int N, int NNZ) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M) {
        float sum = 0.0f;
        for (int k = offsets[row]; k < offsets[row + 1]; k++) {
            sum += values[k] * x[row];
        }
        y[row] = sum;
    }
}
