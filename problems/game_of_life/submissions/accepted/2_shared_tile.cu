// expect: accepted
//
// Game of Life, step 2: the block's cells and those around them in shared memory.
//
// Added to step 1: a cell is read once or twice instead of nine times, and only that read has a remainder, which costs
// more than the rest of the kernel together.

#define COLUMNS 32
#define ROWS 8
#define WIDE (COLUMNS + 2)
#define HIGH (ROWS + 2)

__global__ void life_kernel(const unsigned char* cells, unsigned char* next, int H, int W) {
    __shared__ unsigned char tile[HIGH][WIDE];
    int left = blockIdx.x * COLUMNS;
    int top = blockIdx.y * ROWS;
    for (int k = threadIdx.y * COLUMNS + threadIdx.x; k < HIGH * WIDE; k += ROWS * COLUMNS) {
        int i = (top + k / WIDE - 1 + H) % H;
        int j = (left + k % WIDE - 1 + W) % W;
        tile[k / WIDE][k % WIDE] = cells[i * W + j];
    }
    __syncthreads();

    int column = left + threadIdx.x;
    int row = top + threadIdx.y;
    if (row < H && column < W) {
        int living = 0;
        for (int y = 0; y < 3; y++) {
            for (int x = 0; x < 3; x++) {
                living += tile[threadIdx.y + y][threadIdx.x + x];
            }
        }
        int cell = tile[threadIdx.y + 1][threadIdx.x + 1];
        living -= cell;
        next[row * W + column] = living == 3 || (living == 2 && cell == 1);
    }
}
