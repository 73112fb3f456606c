// expect: wrong_answer wrong_value
//
// Stencil in time with a step too many.
//
// Counting from 0, the last step is STEPS - 1.

#define TILE 96
#define WARPS 16
#define BLOCK (32 * WARPS)
#define ROWS 8
#define COLUMNS 4

__global__ void __launch_bounds__(BLOCK)
    steps_kernel(const float* __restrict__ input, float* __restrict__ output, int H, int W, int STEPS, float rate) {
    // The first and the last row of each warp, of two steps: a warp may be one step ahead.
    __shared__ float4 ends[2][WARPS][2][32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int top = (int)(blockIdx.y * TILE) - STEPS + warp * ROWS;
    int left = (int)(blockIdx.x * TILE) - STEPS + lane * COLUMNS;
    float cells[ROWS][COLUMNS];
    bool rim[COLUMNS];
#pragma unroll
    for (int j = 0; j < COLUMNS; j++) {
        int x = left + j;
        rim[j] = x <= 0 || x >= W - 1;
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            int y = top + i;
            cells[i][j] = y >= 0 && y < H && x >= 0 && x < W ? input[y * W + x] : 0.0f;
        }
    }
    for (int step = 0; step <= STEPS; step++) {
        float4(*own)[2][32] = ends[step % 2];
        own[warp][0][lane] = make_float4(cells[0][0], cells[0][1], cells[0][2], cells[0][3]);
        own[warp][1][lane] =
            make_float4(cells[ROWS - 1][0], cells[ROWS - 1][1], cells[ROWS - 1][2], cells[ROWS - 1][3]);
        __syncthreads();
        // The first and the last warp take their own rows: their outer cells are wrong from now on, and don't matter.
        float4 before = own[max(warp - 1, 0)][1][lane];
        float4 behind = own[min(warp + 1, WARPS - 1)][0][lane];
        float above[COLUMNS] = {before.x, before.y, before.z, before.w};
        float last[COLUMNS] = {behind.x, behind.y, behind.z, behind.w};
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            float from_left = __shfl_up_sync(0xffffffff, cells[i][COLUMNS - 1], 1);
            float from_right = __shfl_down_sync(0xffffffff, cells[i][0], 1);
            bool stays = top + i <= 0 || top + i >= H - 1;
            float left_cell = from_left;
#pragma unroll
            for (int j = 0; j < COLUMNS; j++) {
                float cell = cells[i][j];
                float right_cell = j + 1 < COLUMNS ? cells[i][j + 1] : from_right;
                float below = i + 1 < ROWS ? cells[i + 1][j] : last[j];
                float sum = above[j] + below + left_cell + right_cell;
                cells[i][j] = stays || rim[j] ? cell : cell + rate * (sum - 4.0f * cell);
                above[j] = cell;
                left_cell = cell;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        int row = warp * ROWS + i - STEPS;
        if (row >= 0 && row < TILE && top + i < H) {
#pragma unroll
            for (int j = 0; j < COLUMNS; j++) {
                int column = lane * COLUMNS + j - STEPS;
                if (column >= 0 && column < TILE && left + j < W) {
                    output[(top + i) * W + left + j] = cells[i][j];
                }
            }
        }
    }
}
