// expect: wrong_answer wrong_value
//
// Monte Carlo that multiplies by four already.
//
// The statement asks for the count.

__global__ void monte_carlo_kernel(const int* x, const int* y, int* inside, int N) {
    int stride = gridDim.x * blockDim.x;
    int hits = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        if (x[i] * x[i] + y[i] * y[i] < 32768 * 32768) {
            hits++;
        }
    }
    atomicAdd(inside, 4 * hits);
}
