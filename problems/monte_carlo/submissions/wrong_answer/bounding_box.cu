// expect: wrong_answer wrong_value
//
// Monte Carlo of the wrong shape.
//
// x + y < 32768 is a triangle: half of the board.

__global__ void monte_carlo_kernel(const int* x, const int* y, int* inside, int N) {
    int stride = gridDim.x * blockDim.x;
    int hits = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        if (x[i] + y[i] < 32768) {
            hits++;
        }
    }
    atomicAdd(inside, hits);
}
