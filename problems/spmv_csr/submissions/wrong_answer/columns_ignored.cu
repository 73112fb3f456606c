// expect: wrong_answer wrong_value
//
// Sparse matrix times vector that multiplies by the first elements of x.
//
// The student used the number of the entry in its row as the column.

__global__ void spmv_kernel(const int* offsets, const int* columns, const float* values, const float* x, float* y,
                            int M, int N, int NNZ) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M) {
        float sum = 0.0f;
        for (int k = offsets[row]; k < offsets[row + 1]; k++) {
            sum += values[k] * x[(k - offsets[row]) % N];
        }
        y[row] = sum;
    }
}
