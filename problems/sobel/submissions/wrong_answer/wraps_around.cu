// expect: wrong_answer wrong_value
//
// Sobel filter without the cut at 255.
//
// A byte keeps the lowest eight bits: 256 becomes 0.

__global__ void sobel_kernel(const unsigned char* input, unsigned char* output, int H, int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= H || column >= W) {
        return;
    }
    const unsigned char* above = input + max(row - 1, 0) * W;
    const unsigned char* here = input + row * W;
    const unsigned char* below = input + min(row + 1, H - 1) * W;
    int left = max(column - 1, 0);
    int right = min(column + 1, W - 1);
    int gx = above[right] - above[left] + 2 * (here[right] - here[left]) + below[right] - below[left];
    int gy = below[left] - above[left] + 2 * (below[column] - above[column]) + below[right] - above[right];
    output[row * W + column] = __float2int_rn(sqrtf((float)(gx * gx + gy * gy)));
}
