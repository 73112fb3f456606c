// Triangular solve: L X = B for X, row by row. L is A below the diagonal and A + shift on it. N x N, and R columns.
//
// The kernel gets BLOCK threads for BLOCK * COLUMNS columns of B. You may change both numbers: any constant
// expressions, BLOCK up to 1024.
#define BLOCK 128
#define COLUMNS 1

__global__ void triangular_kernel(const float* A, const float* B, float* X, int N, int R, float shift) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    // The grid is rounded up to whole blocks: some threads have no column.
    if (column < R) {
        for (int i = 0; i < N; i++) {
            float sum = B[i * R + column];
            // Your turn: subtract what the rows above contribute, and divide.
            X[i * R + column] = sum;
        }
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* A, const float* B, float* X, int N, int R, float shift) {
    int blocks = (R + BLOCK * COLUMNS - 1) / (BLOCK * COLUMNS);
    triangular_kernel<<<blocks, BLOCK>>>(A, B, X, N, R, shift);
}
