// expect: compile_error
//
// Sparse matrix times vector with offsets in the wrong place.
//
// The parameters come in the order that the statement gives.

__global__ void spmv_kernel(const float* values, const int* columns, const int* offsets, const float* x, float* y,
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
