// Stencil, blocked in time: STEPS steps of new = old + rate * (four neighbours - 4 * old); the rim stays as it is.
//
// The kernel gets a block of BLOCK threads for each tile of TILE x TILE cells, and is launched once for all steps. You
// may change both numbers: any constant expressions, BLOCK up to 1024.
#define TILE 32
#define BLOCK 256

__global__ void steps_kernel(const float* input, float* output, int H, int W, int STEPS, float rate) {
    int top = blockIdx.y * TILE;
    int left = blockIdx.x * TILE;

    // Your turn: copy the tile and STEPS cells more on each side to shared memory, do all steps there, and write the
    // tile. Blocks at the edge have cells outside of the plate: they must not touch memory for these.
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* input, float* output, int H, int W, int STEPS, float rate) {
    dim3 grid((W + TILE - 1) / TILE, (H + TILE - 1) / TILE);
    steps_kernel<<<grid, BLOCK>>>(input, output, H, W, STEPS, rate);
}
