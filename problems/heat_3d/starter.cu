// Heat equation in 3D: next = heat + alpha * (the six neighbours - 6 * heat) inside of a box of D x H x W cells; the
// cells of its faces are copied. fp32.
//
// The kernel gets one thread for EACH neighbouring cells of a row in each of PLANES planes, in blocks of COLUMNS x ROWS
// threads. You may change the numbers: any constant expressions, COLUMNS * ROWS at most 1024.
#define COLUMNS 32
#define ROWS 8
#define EACH 1
#define PLANES 1

__global__ void heat_kernel(const float* heat, float* next, float alpha, int D, int H, int W) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;

    // The grid is rounded up to whole blocks: some threads have no cell and must not touch memory.
    if (y < H && x < W) {
        int i = (z * H + y) * W + x;
        // Your turn: copy the cells of the six faces, and take a step in all others.
        next[i] = heat[i];
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* heat, float* next, float alpha, int D, int H, int W) {
    dim3 block(COLUMNS, ROWS);
    dim3 grid((W + COLUMNS * EACH - 1) / (COLUMNS * EACH), (H + ROWS - 1) / ROWS, (D + PLANES - 1) / PLANES);
    heat_kernel<<<grid, block>>>(heat, next, alpha, D, H, W);
}
