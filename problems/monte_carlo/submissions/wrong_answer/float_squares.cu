// expect: wrong_answer wrong_value
//
// Monte Carlo with floats.
//
// A square of a number of 15 bits has 30 bits, and a float holds 24 of them. Points near the circle land on the
// wrong side.

__global__ void monte_carlo_kernel(const int* x, const int* y, int* inside, int N) {
    int stride = gridDim.x * blockDim.x;
    int hits = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        float a = x[i] / 32768.0f;
        float b = y[i] / 32768.0f;
        if (sqrtf(a * a + b * b) < 0.99999f) {
            hits++;
        }
    }
    atomicAdd(inside, hits);
}
