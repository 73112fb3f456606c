// expect: runtime_error out_of_bounds
//
// Batched matrix multiplication whose sum runs one product too far.
//
// The student wrote <= for <. In all matrices but the last this reads a neighbour's element, and is just wrong.

__global__ void batched_matmul_kernel(const float* A, const float* B, float* C, int BATCH, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int b = blockIdx.z;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k <= N; ++k) {
            sum += A[(b * M + row) * N + k] * B[(b * N + k) * K + column];  // <- here
        }
        C[(b * M + row) * K + column] = sum;
    }
}
