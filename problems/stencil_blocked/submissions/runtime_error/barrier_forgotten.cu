// expect: runtime_error data_race
//
// Stencil in time without a barrier after each step.
//
// The next step needs what other warps do in this one.

#define TILE 32
#define BLOCK 256
#define MOST 16
#define SIDE (TILE + 2 * MOST)
#define PIECES (BLOCK / SIDE)

__global__ void __launch_bounds__(BLOCK)
    steps_kernel(const float* __restrict__ input, float* __restrict__ output, int H, int W, int STEPS, float rate) {
    __shared__ float squares[2][SIDE][SIDE];
    int top = blockIdx.y * TILE - STEPS;
    int left = blockIdx.x * TILE - STEPS;
    int side = TILE + 2 * STEPS;
    int j = threadIdx.x % SIDE;
    int piece = threadIdx.x / SIDE;
    int x = left + j;
    if (j < side) {
        for (int i = piece; i < side; i += PIECES) {
            int y = top + i;
            squares[0][i][j] = y >= 0 && y < H && x >= 0 && x < W ? input[y * W + x] : 0.0f;
        }
    }
    __syncthreads();
    for (int step = 1; step <= STEPS; step++) {
        float(*old)[SIDE] = squares[(step - 1) % 2];
        float(*next)[SIDE] = squares[step % 2];
        int rows = side - 2 * step;
        int first = step + rows * piece / PIECES;
        int end = step + rows * (piece + 1) / PIECES;
        if (j >= step && j < side - step) {
            bool rim = x <= 0 || x >= W - 1;
            float above = old[first - 1][j];
            float cell = old[first][j];
            for (int i = first; i < end; i++) {
                int y = top + i;
                float below = old[i + 1][j];
                float sum = above + below + old[i][j - 1] + old[i][j + 1];
                next[i][j] = rim || y <= 0 || y >= H - 1 ? cell : cell + rate * (sum - 4.0f * cell);
                above = cell;
                cell = below;
            }
        }
    }
    if (j >= STEPS && j < STEPS + TILE && x < W) {
        for (int i = STEPS + piece; i < STEPS + TILE && top + i < H; i += PIECES) {
            output[(top + i) * W + x] = squares[STEPS % 2][i][j];
        }
    }
}
