// problem: zip
// expect: runtime_error data_race
// sizes: N=1000
// says: written by negate of line 27, and in another stream is read by subtract of line 29
//
// The event is recorded before the work that it should stand for.

__global__ void negate(const float* b, float* t, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) t[i] = -b[i];
}

__global__ void subtract(const float* a, const float* t, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] - t[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    cudaStream_t first, second;
    cudaEvent_t ready;
    float* t;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEventCreate(&ready);
    cudaMalloc(&t, N * sizeof(float));
    cudaEventRecord(ready, first);
    negate<<<(N + 255) / 256, 256, 0, first>>>(b, t, N);
    cudaStreamWaitEvent(second, ready, 0);
    subtract<<<(N + 255) / 256, 256, 0, second>>>(a, t, output, N);  // <- here
    cudaDeviceSynchronize();
    cudaFree(t);
}
