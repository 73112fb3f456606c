// expect: compile_error
//
// Batched matrix multiplication without the number of matrices.
//
// The kernel has no use for BATCH, since the grid knows it. The launch passes it nevertheless.

__global__ void batched_matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int b = blockIdx.z;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += A[(b * M + row) * N + k] * B[(b * N + k) * K + column];
        }
        C[(b * M + row) * K + column] = sum;
    }
}
