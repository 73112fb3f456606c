// Sobel filter: every pixel of output is sqrt(gx * gx + gy * gy), rounded and cut off at 255. H x W bytes; outside the
// image the nearest pixel counts.
//
// The kernel gets one thread for each pixel, in blocks of COLUMNS x ROWS threads. You may change the numbers: any
// constant expressions whose product is at most 1024.
#define COLUMNS 32
#define ROWS 8

__global__ void sobel_kernel(const unsigned char* input, unsigned char* output, int H, int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    // The grid is rounded up to whole blocks: some threads lie outside and must not touch memory.
    if (row < H && column < W) {
        int gx = 0;
        int gy = 0;
        // Your turn: how much do the pixels around this one change, from left to right and from top to bottom?
        output[row * W + column] = sqrtf((float)(gx * gx + gy * gy));
    }
}

// Host code: the grader calls it. input and output lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const unsigned char* input, unsigned char* output, int H, int W) {
    dim3 block(COLUMNS, ROWS);
    dim3 grid((W + COLUMNS - 1) / COLUMNS, (H + ROWS - 1) / ROWS);
    sobel_kernel<<<grid, block>>>(input, output, H, W);
}
