// 2D stencil: every inner cell of output is the mean of its four neighbours in input; the rim is copied. fp32.
//
// The kernel gets one thread for each cell, in square blocks of TILE x TILE threads. You may change the number: any
// constant expression up to 32, for a block has at most 1024 threads.
#define TILE 16

__global__ void stencil_kernel(const float* input, float* output, int H, int W) {
    // The x direction runs along a row, so that neighbouring threads touch neighbouring floats.
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    // The grid is rounded up to whole blocks: some threads lie outside and must not touch memory.
    if (row < H && column < W) {
        // Your turn: copy the cells of the rim, and store the mean of the four neighbours in all others.
    }
}

// Host code: the grader calls it. input and output lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* input, float* output, int H, int W) {
    dim3 block(TILE, TILE);
    dim3 grid((W + TILE - 1) / TILE, (H + TILE - 1) / TILE);
    stencil_kernel<<<grid, block>>>(input, output, H, W);
}
