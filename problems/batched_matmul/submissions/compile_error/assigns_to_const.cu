// expect: compile_error
//
// Batched matrix multiplication that adds up in A.
//
// A is an input, and its const keeps the kernel from changing it.

__global__ void batched_matmul_kernel(const float* A, const float* B, float* C, int BATCH, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int b = blockIdx.z;
    if (row < M && column < K) {
        for (int k = 0; k < N; ++k) {
            A[(b * M + row) * N + k] *= B[(b * N + k) * K + column];  // <- here
        }
    }
}
