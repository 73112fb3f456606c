// problem: matmul
// expect: runtime_error uninitialized_read
// sizes: M=1,N=1,K=1 M=17,N=33,K=5
//
// As right.cu, without the kernel that clears C: the others add to what C held before.

__global__ void add_products(const float* A, const float* B, float* C, int M, int N, int K, int begin, int end) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || column >= K) return;
    float sum = C[row * K + column];  // <- here
    for (int k = begin; k < end; k++) sum += A[row * N + k] * B[k * K + column];
    C[row * K + column] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    dim3 block(16, 8), grid((K + 15) / 16, (M + 7) / 8);
    add_products<<<grid, block>>>(A, B, C, M, N, K, 0, N / 2);
    add_products<<<grid, block>>>(A, B, C, M, N, K, N / 2, N);
}
