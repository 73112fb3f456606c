// expect: wrong_answer unwritten_output
//
// Game of Life that stores the living cells only.
//
// The next generation is another array, and does not begin with zeros.

__global__ void life_kernel(const unsigned char* cells, unsigned char* next, int H, int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < H && column < W) {
        int living = 0;
        for (int y = -1; y <= 1; y++) {
            for (int x = -1; x <= 1; x++) {
                int i = (row + y + H) % H;
                int j = (column + x + W) % W;
                if (x != 0 || y != 0) {
                    living += cells[i * W + j];
                }
            }
        }
        if (living == 3 || (living == 2 && cells[row * W + column] == 1)) {
            next[row * W + column] = 1;
        }
    }
}
