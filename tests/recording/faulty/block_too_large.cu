// expect: runtime_error launch_failure
// says: block (32, 64, 1) has 2048 threads; it is 1 to 1024
__global__ void copy(const float* A, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) C[i] = A[i];
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    copy<<<1, dim3(32, 64)>>>(A, C, N);  // <- here
    cudaDeviceSynchronize();
}
