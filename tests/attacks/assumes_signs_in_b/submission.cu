// expect: wrong_answer wrong_value
// problem: matmul
// row: 20
//
// Takes B for a matrix of -1, 0 and 1 and adds instead of multiplying.

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= K) return;
    float sum = 0.0f;
    for (int i = 0; i < N; ++i) {
        float b = B[i * K + col];
        if (b > 0.0f) sum += A[row * N + i];
        if (b < 0.0f) sum -= A[row * N + i];
    }
    C[row * K + col] = sum;
}
