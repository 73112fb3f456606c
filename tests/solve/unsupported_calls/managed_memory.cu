// problem: reduce
// expect: runtime_error unsupported_call
// sizes: N=1000
//
// Managed memory, which the host may read and write at any time.

__global__ void sum(const float* input, float* total, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) atomicAdd(total, input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
    float* total;
    cudaMallocManaged(&total, sizeof(float));  // <- here
    *total = 0.0f;
    sum<<<(N + 127) / 128, 128>>>(input, total, N);
    cudaDeviceSynchronize();
    cudaMemcpy(output, total, sizeof(float), cudaMemcpyDefault);
}
