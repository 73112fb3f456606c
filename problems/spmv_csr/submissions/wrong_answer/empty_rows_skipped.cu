// expect: wrong_answer unwritten_output
//
// Sparse matrix times vector that leaves empty rows alone.
//
// The result of an empty row is 0, and somebody has to write it.

__global__ void spmv_kernel(const int* offsets, const int* columns, const float* values, const float* x, float* y,
                            int M, int N, int NNZ) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M) {
        float sum = 0.0f;
        for (int k = offsets[row]; k < offsets[row + 1]; k++) {
            sum += values[k] * x[columns[k]];
        }
        if (offsets[row] < offsets[row + 1]) {
            y[row] = sum;
        }
    }
}
