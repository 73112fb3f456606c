// More than 48 KB of shared memory, which a kernel may have once it was asked for.
__global__ void reverse(const float* A, float* C, int N) {
    extern __shared__ float tile[];
    for (int i = threadIdx.x; i < N; i += blockDim.x) tile[i] = A[i];
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x) C[i] = tile[N - 1 - i];
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10);
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, reverse);
    reverse<<<1, attributes.maxThreadsPerBlock, attributes.maxDynamicSharedSizeBytes>>>(A, C, N);
}
