// problem: matmul
// expect: wrong_answer unwritten_output
// sizes: M=1,N=1,K=1 M=40,N=33,K=17
//
// The choice of the instance has no case for more than 32 rows or columns.

template <int TILE>
__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    if (row >= M || column >= K) return;
    float sum = 0.0f;
    for (int k = 0; k < N; k++) sum += A[row * N + k] * B[k * K + column];
    C[row * K + column] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    int extent = M > K ? M : K;
    if (extent <= 8) {
        multiply<8><<<1, dim3(8, 8)>>>(A, B, C, M, N, K);
    } else if (extent <= 32) {
        multiply<32><<<1, dim3(32, 32)>>>(A, B, C, M, N, K);
    }
}
