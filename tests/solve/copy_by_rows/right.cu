// problem: matmul
// expect: accepted
// sizes: M=1,N=1,K=1 M=9,N=33,K=17
//
// B in rows of a pitch that suits the device, by cudaMallocPitch and cudaMemcpy2D.

__global__ void multiply(const float* A, const float* B, size_t pitch, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (column >= K) return;
    float sum = 0.0f;
    for (int k = 0; k < N; k++) {
        const float* row_of_B = (const float*)((const char*)B + k * pitch);
        sum += A[row * N + k] * row_of_B[column];
    }
    C[row * K + column] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    float* rows;
    size_t pitch;
    cudaMallocPitch(&rows, &pitch, K * sizeof(float), N);
    cudaMemcpy2D(rows, pitch, B, K * sizeof(float), K * sizeof(float), N, cudaMemcpyDeviceToDevice);
    multiply<<<dim3((K + 63) / 64, M), 64>>>(A, rows, pitch, C, M, N, K);
    cudaFree(rows);
}
