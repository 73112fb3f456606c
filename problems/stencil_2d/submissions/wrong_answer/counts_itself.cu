// expect: wrong_answer wrong_value
//
// 2D stencil that takes the mean of five cells.
//
// The student counted the cell among its own neighbours.

__global__ void stencil_kernel(const float* input, float* output, int H, int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < H && column < W) {
        int i = row * W + column;
        if (row == 0 || row == H - 1 || column == 0 || column == W - 1) {
            output[i] = input[i];
        } else {
            output[i] = 0.2f * (input[i] + input[i - W] + input[i + W] + input[i - 1] + input[i + 1]);
        }
    }
}
