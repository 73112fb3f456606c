__global__ void monte_carlo_kernel(const int* x, const int* y, int* inside, int N) {
    int stride = gridDim.x * blockDim.x;
    int hits = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        hits += x[i] * x[i] + y[i] * y[i] < 32768 * 32768;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        hits += __shfl_down_sync(0xffffffff, hits, distance);
    }
    if (threadIdx.x % 32 == 0) {
        *inside += hits;
    }
}
