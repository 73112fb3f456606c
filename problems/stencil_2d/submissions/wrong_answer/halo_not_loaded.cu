// expect: wrong_answer wrong_value
//
// 2D stencil in shared memory without the cells around the tile.
//
// The student loaded the tile only and clamped the index at its edge. Cells at the edge of a tile count a neighbour
// twice.

#define TILE 16

__global__ void stencil_kernel(const float* input, float* output, int H, int W) {
    __shared__ float cells[TILE][TILE];
    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    bool inside = row < H && column < W;
    int x = threadIdx.x;
    int y = threadIdx.y;
    cells[y][x] = inside ? input[row * W + column] : 0.0f;
    __syncthreads();
    if (inside) {
        bool rim = row == 0 || row == H - 1 || column == 0 || column == W - 1;
        float vertical = cells[max(y - 1, 0)][x] + cells[min(y + 1, TILE - 1)][x];
        float horizontal = cells[y][max(x - 1, 0)] + cells[y][min(x + 1, TILE - 1)];
        output[row * W + column] = rim ? cells[y][x] : 0.25f * (vertical + horizontal);
    }
}
