// expect: runtime_error out_of_bounds
//
// 2D stencil that knows no rim.
//
// The first row has no row above it: the index is negative there.

__global__ void stencil_kernel(const float* input, float* output, int H, int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < H && column < W) {
        int i = row * W + column;
        output[i] = 0.25f * (input[i - W] + input[i + W] + input[i - 1] + input[i + 1]);  // <- here
    }
}
