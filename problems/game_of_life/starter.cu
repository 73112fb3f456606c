// Game of Life: a cell lives next if three of its eight neighbours live, or two and the cell itself. The edges of the
// grid meet. H rows of W cells, one byte each, 0 or 1.
//
// The kernel gets one thread for EACH neighbouring cells of a row, in blocks of COLUMNS x ROWS threads. You may change
// the numbers: any constant expressions, COLUMNS * ROWS at most 1024.
#define COLUMNS 32
#define ROWS 8
#define EACH 1

__global__ void life_kernel(const unsigned char* cells, unsigned char* next, int H, int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    // The grid is rounded up to whole blocks: some threads have no cell and must not touch memory.
    if (row < H && column < W) {
        int living = 0;
        // Your turn: count the living neighbours. Row -1 is row H - 1, and column W is column 0.
        next[row * W + column] = living == 3;
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const unsigned char* cells, unsigned char* next, int H, int W) {
    dim3 block(COLUMNS, ROWS);
    dim3 grid((W + COLUMNS * EACH - 1) / (COLUMNS * EACH), (H + ROWS - 1) / ROWS);
    life_kernel<<<grid, block>>>(cells, next, H, W);
}
