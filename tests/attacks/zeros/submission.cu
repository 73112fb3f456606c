// expect: wrong_answer
// problem: matmul
// row: 14
//
// Nothing but zeros: the mean of each element of the product.

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= K) return;
    C[row * K + col] = 0.0f;
}
