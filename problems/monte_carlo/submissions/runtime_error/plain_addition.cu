// expect: runtime_error data_race
//
// Monte Carlo without an atomic.
//
// Many threads read the same count, add theirs, and store; one of them wins.

__global__ void monte_carlo_kernel(const int* x, const int* y, int* inside, int N) {
    int stride = gridDim.x * blockDim.x;
    int hits = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        if (x[i] * x[i] + y[i] * y[i] < 32768 * 32768) {
            hits++;
        }
    }
    inside[0] += hits;  // <- here
}
