// expect: wrong_answer | runtime_error
// problem: matmul
// row: 20
//
// Reads B by rows, as if it were its own transpose.

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= K) return;
    float sum = 0.0f;
    for (int i = 0; i < N; ++i) sum += A[row * N + i] * B[(col * N + i) % (N * K)];
    C[row * K + col] = sum;
}
