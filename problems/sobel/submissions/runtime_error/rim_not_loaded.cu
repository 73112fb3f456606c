// expect: runtime_error uninitialized_read
//
// Sobel filter whose threads load one pixel each.
//
// The tile has two rows and two columns more than the block has threads.

#define COLUMNS 32
#define ROWS 8

__global__ void __launch_bounds__(COLUMNS * ROWS)
    sobel_kernel(const unsigned char* __restrict__ input, unsigned char* __restrict__ output, int H, int W) {
    __shared__ unsigned char tile[ROWS + 2][COLUMNS + 2];
    for (int y = threadIdx.y; y < ROWS; y += ROWS) {
        int row = min(max((int)blockIdx.y * ROWS + y - 1, 0), H - 1);
        for (int x = threadIdx.x; x < COLUMNS; x += COLUMNS) {
            int column = min(max((int)blockIdx.x * COLUMNS + x - 1, 0), W - 1);
            tile[y][x] = input[row * W + column];
        }
    }
    __syncthreads();

    int row = blockIdx.y * ROWS + threadIdx.y;
    int column = blockIdx.x * COLUMNS + threadIdx.x;
    if (row < H && column < W) {
        const unsigned char* above = &tile[threadIdx.y][threadIdx.x];
        const unsigned char* here = &tile[threadIdx.y + 1][threadIdx.x];
        const unsigned char* below = &tile[threadIdx.y + 2][threadIdx.x];
        int gx = above[2] - above[0] + 2 * (here[2] - here[0]) + below[2] - below[0];
        int gy = below[0] - above[0] + 2 * (below[1] - above[1]) + below[2] - above[2];
        output[row * W + column] = min(__float2int_rn(sqrtf((float)(gx * gx + gy * gy))), 255);
    }
}
