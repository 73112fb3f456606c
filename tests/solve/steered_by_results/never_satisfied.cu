// problem: reduce
// expect: time_limit_exceeded
// sizes: N=1000
//
// The host waits for a flag that no kernel sets, launching again each time.

__global__ void sum(const float* input, float* output, int* done, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) atomicAdd(output, input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
    int *flag, done = 0;
    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    while (!done) {
        cudaMemset(output, 0, sizeof(float));
        sum<<<(N + 127) / 128, 128>>>(input, output, flag, N);
        cudaMemcpy(&done, flag, sizeof(int), cudaMemcpyDeviceToHost);
    }
}
