// Host code that looks at a result of the GPU to decide what comes next.
__global__ void count(const float* A, int* found, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N && A[i] > 0) atomicAdd(found, 1);
}

__global__ void fill(float* C, int N, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) C[i] = value;
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    int* found;
    int on_host = -1;
    cudaMalloc(&found, sizeof(int));
    cudaMemset(found, 0, sizeof(int));
    count<<<1, 128>>>(A, found, N);
    cudaMemcpy(&on_host, found, sizeof(int), cudaMemcpyDeviceToHost);
    for (int round = 0; round < on_host; round++) fill<<<1, 128>>>(C, N, round);
    cudaFree(found);
}
