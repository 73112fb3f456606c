// expect: runtime_error out_of_bounds
//
// Batched matrix multiplication that moves its pointer and adds the offset once more.
//
// Matrix b is then looked for where 2b lies.

__global__ void batched_matmul_kernel(const float* A, const float* B, float* C, int BATCH, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int b = blockIdx.z;
    A += b * M * N;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += A[(b * M + row) * N + k] * B[(b * N + k) * K + column];  // <- here
        }
        C[(b * M + row) * K + column] = sum;
    }
}
