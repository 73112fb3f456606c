// expect: accepted
// problem: matmul
// row: 20
//
// Leaves out the terms whose factor is 0. Right whatever the inputs are, where all are finite; mixed families keep the
// shortcut from paying in all timed runs.

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= K) return;
    float sum = 0.0f;
    for (int i = 0; i < N; ++i) {
        float b = B[i * K + col];
        if (b != 0.0f) sum += A[row * N + i] * b;
    }
    C[row * K + col] = sum;
}
