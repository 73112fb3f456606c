// expect: wrong_answer wrong_value
//
// Batched matrix multiplication that multiplies every A[b] by B[0].
//
// Layers of a neural network share their weights like this. Here each member of the batch has its own B.

__global__ void batched_matmul_kernel(const float* A, const float* B, float* C, int BATCH, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int b = blockIdx.z;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += A[(b * M + row) * N + k] * B[k * K + column];
        }
        C[(b * M + row) * K + column] = sum;
    }
}
