// expect: accepted
//
// Image blur, step 3: sums of rows first, then sums of these.
//
// Added to step 2: each row of the tile is summed once, for all pixels above and below that need it: 2 (2R + 1)
// additions a pixel instead of (2R + 1)^2, which for R = 31 are thirty times fewer.

#define TILE 32
#define MOST 31

__global__ void blur_kernel(const unsigned char* input, unsigned char* output, int H, int W, int R) {
    __shared__ unsigned char pixels[TILE + 2 * MOST][TILE + 2 * MOST];
    __shared__ unsigned short sums[TILE + 2 * MOST][TILE];
    int side = TILE + 2 * R;
    int first_row = blockIdx.y * TILE - R;
    int first_column = blockIdx.x * TILE - R;
    int thread = threadIdx.y * TILE + threadIdx.x;
    for (int k = thread; k < side * side; k += TILE * TILE) {
        int y = first_row + k / side;
        int x = first_column + k % side;
        bool inside = y >= 0 && y < H && x >= 0 && x < W;
        pixels[k / side][k % side] = inside ? input[y * W + x] : 0;
    }
    __syncthreads();
    for (int y = threadIdx.y; y < side; y += TILE) {
        int sum = 0;
        for (int x = 0; x <= 2 * R; x++) {
            sum += pixels[y][threadIdx.x + x];
        }
        sums[y][threadIdx.x] = sum;
    }
    __syncthreads();

    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    if (row < H && column < W) {
        int sum = 0;
        for (int y = 0; y <= 2 * R; y++) {
            sum += sums[threadIdx.y + y][threadIdx.x];
        }
        int rows = min(row + R, H - 1) - max(row - R, 0) + 1;
        int columns = min(column + R, W - 1) - max(column - R, 0) + 1;
        output[row * W + column] = rintf((float)sum / (rows * columns));
    }
}
