// expect: wrong_answer wrong_value
//
// Stencil in time whose rim takes part.
//
// Outside of the plate is nothing, and the rim stays as it is.

#define TILE 32
#define BLOCK 256
#define MOST 16
#define SIDE (TILE + 2 * MOST)

__global__ void steps_kernel(const float* input, float* output, int H, int W, int STEPS, float rate) {
    __shared__ float squares[2][SIDE][SIDE];
    int top = blockIdx.y * TILE - STEPS;
    int left = blockIdx.x * TILE - STEPS;
    int side = TILE + 2 * STEPS;
    for (int place = threadIdx.x; place < side * side; place += BLOCK) {
        int y = top + place / side;
        int x = left + place % side;
        bool inside = y >= 0 && y < H && x >= 0 && x < W;
        squares[0][place / side][place % side] = inside ? input[y * W + x] : 0.0f;
    }
    __syncthreads();
    for (int step = 0; step < STEPS; step++) {
        float(*old)[SIDE] = squares[step % 2];
        for (int place = threadIdx.x; place < side * side; place += BLOCK) {
            int i = place / side;
            int j = place % side;
            int y = top + i;
            int x = left + j;
            float cell = old[i][j];
            bool rim = y < 0 || y >= H || x < 0 || x >= W;
            bool edge = i == 0 || i == side - 1 || j == 0 || j == side - 1;
            if (!rim && !edge) {
                cell += rate * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1] - 4.0f * cell);
            }
            squares[(step + 1) % 2][i][j] = cell;
        }
        __syncthreads();
    }
    for (int place = threadIdx.x; place < TILE * TILE; place += BLOCK) {
        int i = STEPS + place / TILE;
        int j = STEPS + place % TILE;
        if (top + i < H && left + j < W) {
            output[(top + i) * W + left + j] = squares[STEPS % 2][i][j];
        }
    }
}
