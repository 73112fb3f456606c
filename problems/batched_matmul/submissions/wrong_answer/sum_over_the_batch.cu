// expect: wrong_answer
//
// Batched matrix multiplication that adds up all products in the first matrix of C.
//
// The student added the batch to the sum. Its members have nothing to do with each other.

__global__ void batched_matmul_kernel(const float* A, const float* B, float* C, int BATCH, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K && blockIdx.z == 0) {
        float sum = 0.0f;
        for (int b = 0; b < BATCH; ++b) {
            for (int k = 0; k < N; ++k) {
                sum += A[(b * M + row) * N + k] * B[(b * N + k) * K + column];
            }
        }
        C[row * K + column] = sum;
    }
}
