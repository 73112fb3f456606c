// expect: runtime_error out_of_bounds
//
// Sobel filter that reads around the image.
//
// The first row has no row above it: the index is negative there.

__global__ void sobel_kernel(const unsigned char* input, unsigned char* output, int H, int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= H || column >= W) {
        return;
    }
    const unsigned char* above = input + (row - 1) * W;
    const unsigned char* here = input + row * W;
    const unsigned char* below = input + (row + 1) * W;
    int left = column - 1;
    int right = column + 1;
    int gx = above[right] - above[left] + 2 * (here[right] - here[left]) + below[right] - below[left];
    int gy = below[left] - above[left] + 2 * (below[column] - above[column]) + below[right] - above[right];
    output[row * W + column] = min(__float2int_rn(sqrtf((float)(gx * gx + gy * gy))), 255);
}
