// Two kernels, scratch between them, and a memset: the plainest launch code beyond one kernel.
__global__ void square(const float* A, float* T, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) T[i] = A[i] * A[i];
}

__global__ void add(const float* T, const float* B, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) C[i] = T[i] + B[i];
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    float* T;
    cudaMalloc(&T, N * sizeof(float));
    cudaMemset(C, 0, N * sizeof(float));
    int blocks = (N + 255) / 256;
    square<<<blocks, 256>>>(A, T, N);  // <- first
    add<<<blocks, 256>>>(T, B, C, N);  // <- second
    cudaDeviceSynchronize();
    cudaFree(T);
}
