// expect: compile_error
//
// Half-precision matrix multiplication for floats.
//
// The matrices hold halves.

__global__ void matmul_fp16_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; k++) {
            sum += A[row * N + k] * B[k * K + column];
        }
        C[row * K + column] = sum;
    }
}
