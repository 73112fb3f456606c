// expect: runtime_error data_race
//
// Image blur that reads the tile before it is there.
//
// Without the barrier a warp adds up pixels that other warps have not loaded yet.

#define TILE 32
#define MOST 31

__global__ void blur_kernel(const unsigned char* input, unsigned char* output, int H, int W, int R) {
    __shared__ unsigned char pixels[TILE + 2 * MOST][TILE + 2 * MOST];
    int side = TILE + 2 * R;
    int first_row = blockIdx.y * TILE - R;
    int first_column = blockIdx.x * TILE - R;
    for (int k = threadIdx.y * TILE + threadIdx.x; k < side * side; k += TILE * TILE) {
        int y = first_row + k / side;
        int x = first_column + k % side;
        bool inside = y >= 0 && y < H && x >= 0 && x < W;
        pixels[k / side][k % side] = inside ? input[y * W + x] : 0;
    }
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    if (row < H && column < W) {
        int sum = 0;
        for (int y = 0; y <= 2 * R; y++) {
            for (int x = 0; x <= 2 * R; x++) {
                sum += pixels[threadIdx.y + y][threadIdx.x + x];
            }
        }
        int rows = min(row + R, H - 1) - max(row - R, 0) + 1;
        int columns = min(column + R, W - 1) - max(column - R, 0) + 1;
        output[row * W + column] = rintf((float)sum / (rows * columns));
    }
}
