// Sparse matrix times vector: y[i] is the sum of values[k] * x[columns[k]] over the entries k of row i, fp32.
//
// Row i has the entries offsets[i] to offsets[i + 1] - 1. The kernel gets a warp for each row, in blocks of BLOCK
// threads. You may change the number: any constant expression up to 1024.
#define BLOCK 256

__global__ void spmv_kernel(const int* offsets, const int* columns, const float* values, const float* x, float* y,
                            int M, int N, int NNZ) {
    // The first M threads take a row each; the others have nothing to do.
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M) {
        float sum = 0.0f;
        // Your turn: add up the products of this row's entries.
        y[row] = sum;
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const int* offsets, const int* columns, const float* values, const float* x, float* y, int M,
                      int N, int NNZ) {
    int blocks = (32 * M + BLOCK - 1) / BLOCK;
    spmv_kernel<<<blocks, BLOCK>>>(offsets, columns, values, x, y, M, N, NNZ);
}
