// expect: runtime_error data_race
//
// 2D stencil with rows as long as columns.
//
// The student wrote H for W in the index. On a square grid the two are the same.

__global__ void stencil_kernel(const float* input, float* output, int H, int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < H && column < W && row * H + column < H * W) {
        int i = row * H + column;
        if (row == 0 || row == H - 1 || column == 0 || column == W - 1) {
            output[i] = input[i];
        } else {
            output[i] = 0.25f * (input[max(i - H, 0)] + input[min(i + H, H * W - 1)] + input[i - 1] + input[i + 1]);
        }
    }
}
