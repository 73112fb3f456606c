// expect: runtime_error data_race
//
// 2D stencil that works in place and copies later.
//
// The student remembered a solver that needs one grid only. Each cell then sees some neighbours of this step and
// some of the next, and the caller's grid is gone.

__global__ void stencil_kernel(const float* input, float* output, int H, int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < H && column < W) {
        int i = row * W + column;
        if (row == 0 || row == H - 1 || column == 0 || column == W - 1) {
            output[i] = input[i];
        } else {
            float* grid = const_cast<float*>(input);
            grid[i] = 0.25f * (input[i - W] + input[i + W] + input[i - 1] + input[i + 1]);  // <- here
            output[i] = grid[i];
        }
    }
}
