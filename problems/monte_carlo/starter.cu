// Monte Carlo: inside[0] is the number of points (x[i], y[i]) nearer to (0, 0) than 32768. N points of ints.
//
// inside[0] is set to 0, and then the kernel gets at most 1024 blocks of BLOCK threads. You may change the number: any
// constant expression up to 1024.
#define BLOCK 256

__global__ void monte_carlo_kernel(const int* x, const int* y, int* inside, int N) {
    // A long input has more points than there are threads: each thread takes several of them, a grid's width apart.
    int stride = gridDim.x * blockDim.x;
    int hits = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        // Your turn: count the point if x * x + y * y is less than 32768 * 32768.
    }

    // Your turn: bring the counts of all threads together in inside[0]; look up atomicAdd.
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const int* x, const int* y, int* inside, int N) {
    cudaMemset(inside, 0, sizeof(int));
    int blocks = (N + BLOCK - 1) / BLOCK;
    monte_carlo_kernel<<<blocks < 1024 ? blocks : 1024, BLOCK>>>(x, y, inside, N);
}
