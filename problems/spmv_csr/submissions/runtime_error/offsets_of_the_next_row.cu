// expect: runtime_error out_of_bounds
//
// Sparse matrix times vector with one row too many.
//
// The student let thread M pass, whose row would end at offsets[M + 1].

__global__ void spmv_kernel(const int* offsets, const int* columns, const float* values, const float* x, float* y,
                            int M, int N, int NNZ) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row <= M) {
        float sum = 0.0f;
        for (int k = offsets[row]; k < offsets[row + 1]; k++) {  // <- here
            sum += values[k] * x[columns[k]];
        }
        y[row] = sum;
    }
}
