// problem: reduce
// expect: runtime_error unsupported_call
// sizes: N=1000
//
// Pinned memory of the host, for copies that overlap with kernels.

__global__ void sum(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) atomicAdd(output, input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
    float* zero;
    cudaMallocHost(&zero, sizeof(float));  // <- here
    *zero = 0.0f;
    cudaMemcpyAsync(output, zero, sizeof(float), cudaMemcpyHostToDevice, 0);
    sum<<<(N + 127) / 128, 128>>>(input, output, N);
    cudaFreeHost(zero);
}
