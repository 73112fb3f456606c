// N bodies: the acceleration of each body is the sum of mass * difference / (distance^2 + softening^2)^1.5 over all
// bodies. A body is four floats: x, y, z and its mass; an acceleration is three.
//
// The kernel gets LANES threads for each body, in blocks of BLOCK threads. You may change the numbers: any constant
// expressions, BLOCK up to 1024.
#define BLOCK 256
#define LANES 1

__global__ void n_body_kernel(const float* bodies, float* acceleration, float softening, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    // The grid is rounded up to whole blocks: some threads have no body and must not touch memory.
    if (i < N) {
        float x = 0.0f;
        float y = 0.0f;
        float z = 0.0f;
        // Your turn: go through all bodies, and add up how each pulls this one. rsqrtf(r) is 1 / sqrt(r).
        acceleration[3 * i] = x;
        acceleration[3 * i + 1] = y;
        acceleration[3 * i + 2] = z;
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* bodies, float* acceleration, float softening, int N) {
    n_body_kernel<<<(N * LANES + BLOCK - 1) / BLOCK, BLOCK>>>(bodies, acceleration, softening, N);
}
