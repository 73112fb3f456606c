// problem: zip
// expect: accepted
// sizes: N=2 N=1000
//
// A fork and a join by events: two streams fill scratch, a third adds when both are done. Timing by events is harmless.

__global__ void negate(const float* a, float* t, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) t[i] = -a[i];
}

__global__ void subtract(const float* s, const float* t, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = -s[i] - t[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    cudaStream_t first, second, third;
    cudaStreamCreate(&first);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaStreamCreateWithPriority(&third, cudaStreamNonBlocking, 0);
    cudaEvent_t start, stop, fork, of_a, of_b;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&of_a, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&of_b, cudaEventDisableTiming);
    float *s, *t;
    cudaMalloc(&s, N * sizeof(float));
    cudaMalloc(&t, N * sizeof(float));
    int blocks = (N + 127) / 128;

    cudaEventRecord(start, first);
    cudaEventRecord(fork, first);
    cudaStreamWaitEvent(second, fork, 0);
    negate<<<blocks, 128, 0, first>>>(a, s, N);
    negate<<<blocks, 128, 0, second>>>(b, t, N);
    cudaEventRecord(of_a, first);
    cudaEventRecord(of_b, second);
    cudaStreamWaitEvent(third, of_a, 0);
    cudaStreamWaitEvent(third, of_b, 0);
    subtract<<<blocks, 128, 0, third>>>(s, t, output, N);
    cudaEventRecord(stop, third);
    cudaEventSynchronize(stop);
    float milliseconds;
    cudaEventElapsedTime(&milliseconds, start, stop);

    cudaFree(s);
    cudaFree(t);
    for (cudaEvent_t event : {start, stop, fork, of_a, of_b}) cudaEventDestroy(event);
    for (cudaStream_t stream : {first, second, third}) cudaStreamDestroy(stream);
}
