// Two streams that an event orders, timing by events, and a host that waits for one of them.
#include <cstdio>

__global__ void twice(const float* A, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) C[i] = A[i] * 2;
}

extern "C" void solve(const float* A, const float* B, float* C, int N) {
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t ready, start, stop;
    cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    float* T;
    cudaMallocAsync(&T, N * sizeof(float), first);
    cudaEventRecord(start, first);
    twice<<<1, 64, 0, first>>>(A, T, N);
    cudaEventRecord(ready, first);
    cudaStreamWaitEvent(second, ready, 0);
    twice<<<1, 64, 0, second>>>(T, C, N);
    cudaEventRecord(stop, second);
    cudaEventSynchronize(stop);
    float milliseconds = -1;
    cudaEventElapsedTime(&milliseconds, start, stop);
    if (milliseconds == 0 && cudaStreamQuery(second) == cudaSuccess) printf("no time passes\n");
    cudaFreeAsync(T, first);
    cudaStreamSynchronize(first);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
}
