// expect: accepted
//
// 2D stencil, step 1: one thread for each cell.
//
// Four reads and one write. Neighbouring threads read neighbouring cells, so every read of a warp is one or two
// pieces of memory, and three of four reads find in a cache what another thread has brought.

__global__ void stencil_kernel(const float* input, float* output, int H, int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < H && column < W) {
        int i = row * W + column;
        if (row == 0 || row == H - 1 || column == 0 || column == W - 1) {
            output[i] = input[i];
        } else {
            output[i] = 0.25f * (input[i - W] + input[i + W] + input[i - 1] + input[i + 1]);
        }
    }
}
