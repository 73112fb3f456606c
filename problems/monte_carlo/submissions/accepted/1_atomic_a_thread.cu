// expect: accepted
//
// Monte Carlo, step 1: each thread counts its points and adds the count once.
//
// 262144 threads at most add to one address; the hardware takes them one after the other.

__global__ void monte_carlo_kernel(const int* x, const int* y, int* inside, int N) {
    int stride = gridDim.x * blockDim.x;
    int hits = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        if (x[i] * x[i] + y[i] * y[i] < 32768 * 32768) {
            hits++;
        }
    }
    atomicAdd(inside, hits);
}
