// expect: wrong_answer unwritten_output
//
// Batched matrix multiplication that never looks at blockIdx.z.
//
// All blocks compute the first product, and none the others. With one matrix there is no difference.

__global__ void batched_matmul_kernel(const float* A, const float* B, float* C, int BATCH, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += A[row * N + k] * B[k * K + column];
        }
        C[row * K + column] = sum;
    }
}
