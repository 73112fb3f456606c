// expect: runtime_error out_of_bounds
//
// Monte Carlo without a bounds check.
//
// The last block is complete even where there are no more points.

__global__ void monte_carlo_kernel(const int* x, const int* y, int* inside, int N) {
    int stride = gridDim.x * blockDim.x;
    for (int begin = 0; begin < N; begin += stride) {
        int i = begin + blockIdx.x * blockDim.x + threadIdx.x;
        long long a = x[i];  // <- here
        long long b = y[i];
        atomicAdd(inside, a * a + b * b < 32768 * 32768 ? 1 : 0);
    }
}
