// problem: reduce
// expect: runtime_error unsupported_call
// sizes: N=1000
//
// It copies the result "to the host", into output; that array is on the device.

__global__ void sum(const float* input, float* total, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) atomicAdd(total, input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
    float* total;
    cudaMalloc(&total, sizeof(float));
    cudaMemset(total, 0, sizeof(float));
    sum<<<(N + 127) / 128, 128>>>(input, total, N);
    cudaMemcpy(output, total, sizeof(float), cudaMemcpyDeviceToHost);  // <- here
    cudaFree(total);
}
