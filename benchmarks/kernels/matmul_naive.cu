// One thread per element of C = A · B, each walking a row of A and a column of B in global memory.
extern "C" __global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < K) {
        float sum = 0.0f;
        for (int i = 0; i < N; ++i) sum += A[row * N + i] * B[i * K + col];
        C[row * K + col] = sum;
    }
}
