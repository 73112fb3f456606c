// problem: matmul
// expect: runtime_error uninitialized_read
// sizes: M=9,N=33,K=17
//
// The rows lie a pitch apart, and the kernel takes them to be K floats apart.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (column >= K) return;
    float sum = 0.0f;
    for (int k = 0; k < N; k++) sum += A[row * N + k] * B[k * K + column];  // <- here
    C[row * K + column] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    float* rows;
    size_t pitch;
    cudaMallocPitch(&rows, &pitch, K * sizeof(float), N);
    cudaMemcpy2D(rows, pitch, B, K * sizeof(float), K * sizeof(float), N, cudaMemcpyDeviceToDevice);
    multiply<<<dim3((K + 63) / 64, M), 64>>>(A, rows, C, M, N, K);
    cudaFree(rows);
}
