// expect: wrong_answer unwritten_output
//
// Sobel filter that leaves the rim alone.
//
// The rim's pixels have a result, too.

__global__ void sobel_kernel(const unsigned char* input, unsigned char* output, int H, int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < 1 || row >= H - 1 || column < 1 || column >= W - 1) {
        return;
    }
    const unsigned char* above = input + max(row - 1, 0) * W;
    const unsigned char* here = input + row * W;
    const unsigned char* below = input + min(row + 1, H - 1) * W;
    int left = max(column - 1, 0);
    int right = min(column + 1, W - 1);
    int gx = above[right] - above[left] + 2 * (here[right] - here[left]) + below[right] - below[left];
    int gy = below[left] - above[left] + 2 * (below[column] - above[column]) + below[right] - above[right];
    output[row * W + column] = min(__float2int_rn(sqrtf((float)(gx * gx + gy * gy))), 255);
}
