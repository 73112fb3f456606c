// expect: wrong_answer wrong_value
//
// Monte Carlo with one point a thread.
//
// There are never more than 1024 blocks.

__global__ void monte_carlo_kernel(const int* x, const int* y, int* inside, int N) {

    int hits = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        hits = x[i] * x[i] + y[i] * y[i] < 32768 * 32768;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        hits += __shfl_down_sync(0xffffffff, hits, distance);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(inside, hits);
    }
}
