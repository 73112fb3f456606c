// expect: runtime_error out_of_bounds
//
// Game of Life whose first row has no row above it.
//
// In C++ the remainder of -1 is -1. In Python it would be H - 1.

__global__ void life_kernel(const unsigned char* cells, unsigned char* next, int H, int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < H && column < W) {
        int living = 0;
        for (int y = -1; y <= 1; y++) {
            for (int x = -1; x <= 1; x++) {
                int i = (row + y) % H;
                int j = (column + x) % W;
                if (x != 0 || y != 0) {
                    living += cells[i * W + j];  // <- here
                }
            }
        }
        next[row * W + column] = living == 3 || (living == 2 && cells[row * W + column] == 1);
    }
}
