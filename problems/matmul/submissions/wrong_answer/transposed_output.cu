// expect: wrong_answer wrong_value
//
// Matrix multiplication that stores its result transposed.
//
// The student learnt column-major storage elsewhere (Fortran, cuBLAS), where element (row, column) lies at column *
// rows + row. Here all matrices are row-major. A result with one row or one column looks the same either way.

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += A[row * N + k] * B[k * K + column];
        }
        C[column * M + row] = sum;
    }
}
