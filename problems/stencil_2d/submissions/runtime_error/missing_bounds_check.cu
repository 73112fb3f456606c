// expect: runtime_error out_of_bounds
//
// 2D stencil without a bounds check.
//
// The grid of blocks is rounded up in both directions; the surplus threads have no cell.

__global__ void stencil_kernel(const float* input, float* output, int H, int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int i = row * W + column;
    if (row == 0 || row == H - 1 || column == 0 || column == W - 1) {
        output[i] = input[i];  // <- here
    } else {
        output[i] = 0.25f * (input[i - W] + input[i + W] + input[i - 1] + input[i + 1]);
    }
}
