// expect: accepted
//
// 3 x 3 convolution, step 2: one channel's tile after the other in shared memory.
//
// Added to step 1: the block reads each element of a channel once, with zeros where the image ends. The second
// barrier keeps a fast warp from loading the next channel while a slow one still reads this one. Each product still
// takes two reads of shared memory or cache.

#define COLUMNS 32
#define ROWS 8

__global__ void __launch_bounds__(COLUMNS * ROWS)
    conv3x3_kernel(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output,
                   int B, int C, int F, int H, int W) {
    __shared__ float tile[ROWS + 2][COLUMNS + 2];
    const float* image = input + (size_t)(blockIdx.z / F) * C * H * W;
    const float* filter = weights + (size_t)(blockIdx.z % F) * C * 9;
    int first_row = blockIdx.y * ROWS - 1;
    int first_column = blockIdx.x * COLUMNS - 1;
    float sum = 0.0f;
    for (int c = 0; c < C; c++) {
        const float* plane = image + (size_t)c * H * W;
        for (int r = threadIdx.y; r < ROWS + 2; r += ROWS) {
            for (int s = threadIdx.x; s < COLUMNS + 2; s += COLUMNS) {
                int y = first_row + r;
                int x = first_column + s;
                tile[r][s] = y >= 0 && y < H && x >= 0 && x < W ? plane[y * W + x] : 0.0f;
            }
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 9; k++) {
            sum += filter[c * 9 + k] * tile[threadIdx.y + k / 3][threadIdx.x + k % 3];
        }
        __syncthreads();
    }
    int row = blockIdx.y * ROWS + threadIdx.y;
    int column = blockIdx.x * COLUMNS + threadIdx.x;
    if (row < H && column < W) {
        output[((size_t)blockIdx.z * H + row) * W + column] = sum;
    }
}
