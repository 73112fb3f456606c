// expect: accepted
//
// Depthwise convolution, step 2: the tile, its halo and the weights in shared memory.
//
// Added to step 1: each element is read from global memory once for a block, with zeros where the plane ends, so that
// the products need no questions. An output still costs two reads of shared memory for each product. With up to 3 x 3
// weights a tile costs more than it saves: there a thread works out once which weights meet the plane, and reads its
// elements from L1.

#define COLUMNS 32
#define ROWS 8
#define LARGEST 7
#define FEW 3

__global__ void __launch_bounds__(COLUMNS * ROWS)
    depthwise_kernel(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output,
                     int B, int C, int H, int W, int K) {
    __shared__ float tile[ROWS + LARGEST - 1][COLUMNS + LARGEST - 1];
    __shared__ float own[LARGEST * LARGEST];
    const float* plane = input + (size_t)blockIdx.z * H * W;
    int thread = threadIdx.y * COLUMNS + threadIdx.x;
    if (thread < K * K) {
        own[thread] = weights[blockIdx.z % C * K * K + thread];
    }
    int first_row = blockIdx.y * ROWS;
    int first_column = blockIdx.x * COLUMNS;
    int row = first_row + threadIdx.y;
    int column = first_column + threadIdx.x;
    if (K <= FEW) {
        if (row < H && column < W) {
            const float* given = weights + blockIdx.z % C * K * K;
            // Which of the weights meet an element of the plane.
            int top = row - K / 2;
            int left = column - K / 2;
            int last_r = min(K, H - top);
            int last_s = min(K, W - left);
            float sum = 0.0f;
            for (int r = max(0, -top); r < last_r; r++) {
                for (int s = max(0, -left); s < last_s; s++) {
                    sum += given[r * K + s] * plane[(top + r) * W + left + s];
                }
            }
            output[((size_t)blockIdx.z * H + row) * W + column] = sum;
        }
        return;
    }
    for (int r = threadIdx.y; r < ROWS + K - 1; r += ROWS) {
        for (int s = threadIdx.x; s < COLUMNS + K - 1; s += COLUMNS) {
            int y = first_row + r - K / 2;
            int x = first_column + s - K / 2;
            tile[r][s] = y >= 0 && y < H && x >= 0 && x < W ? plane[y * W + x] : 0.0f;
        }
    }
    __syncthreads();

    float sum = 0.0f;
    for (int r = 0; r < K; r++) {
        for (int s = 0; s < K; s++) {
            sum += own[r * K + s] * tile[threadIdx.y + r][threadIdx.x + s];
        }
    }
    if (row < H && column < W) {
        output[((size_t)blockIdx.z * H + row) * W + column] = sum;
    }
}
