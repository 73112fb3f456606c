// expect: runtime_error out_of_bounds
// on gpu: wrong_answer | runtime_error
// problem: matmul
// row: 17
//
// Begins each sum one element early and takes it off again.

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= K) return;
    float sum = A[row * N - 1] * 0.0f;  // <- here
    for (int i = 0; i < N; ++i) sum += A[row * N + i] * B[i * K + col];
    C[row * K + col] = sum;
}
