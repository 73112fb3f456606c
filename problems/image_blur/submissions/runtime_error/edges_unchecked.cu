// expect: runtime_error out_of_bounds
//
// Image blur that reads above the image.
//
// The student forgot that the first rows have fewer than R rows above.

__global__ void blur_kernel(const unsigned char* input, unsigned char* output, int H, int W, int R) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= H || column >= W) {
        return;
    }
    int top = row - R;
    int bottom = min(row + R, H - 1);
    int left = max(column - R, 0);
    int right = min(column + R, W - 1);
    int sum = 0;
    for (int y = top; y <= bottom; y++) {
        for (int x = left; x <= right; x++) {
            sum += input[y * W + x];  // <- here
        }
    }
    int count = (bottom - top + 1) * (right - left + 1);
    output[row * W + column] = (sum + count / 2) / count;
}
