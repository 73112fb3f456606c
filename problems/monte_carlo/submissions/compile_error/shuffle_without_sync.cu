// expect: compile_error
//
// Monte Carlo with the shuffles of old tutorials.
//
// __shfl_down went away with CUDA 9's successors; today's shuffles end in _sync and take a mask.

__global__ void monte_carlo_kernel(const int* x, const int* y, int* inside, int N) {
    int stride = gridDim.x * blockDim.x;
    int hits = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        hits += x[i] * x[i] + y[i] * y[i] < 32768 * 32768;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        hits += __shfl_down(hits, distance);  // <- here
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(inside, hits);
    }
}
