__global__ void blur_kernel(const unsigned char* input, unsigned char* output, int H, int W, int R) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= H || column >= W) {
        return;
    }
    int top = max(row - R, 0);
    int bottom = min(row + R, H - 1);
    int left = max(column - R, 0);
    int right = min(column + R, W - 1);
    int sum = 0;
    for (int y = top; y <= bottom; y++) {
        for (int x = left; x <= right; x++) {
            sum += input[y * W + x];
        }
    }
    int count = (bottom - top + 1) * (right - left + 1);
    output[row * W + column] = sum / count;
}
