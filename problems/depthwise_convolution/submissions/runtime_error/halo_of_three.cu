// expect: runtime_error out_of_bounds
//
// Depthwise convolution whose tile is made for K = 3.
//
// The halo of K = 7 is six elements wide.

#define COLUMNS 32
#define ROWS 8
#define LARGEST 3

__global__ void __launch_bounds__(COLUMNS * ROWS)
    depthwise_kernel(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output,
                     int B, int C, int H, int W, int K) {
    __shared__ float tile[ROWS + LARGEST - 1][COLUMNS + LARGEST - 1];
    __shared__ float own[49];
    const float* plane = input + (size_t)blockIdx.z * H * W;
    int thread = threadIdx.y * COLUMNS + threadIdx.x;
    if (thread < K * K) {
        own[thread] = weights[blockIdx.z % C * K * K + thread];
    }
    int first_row = blockIdx.y * ROWS;
    int first_column = blockIdx.x * COLUMNS;
    for (int r = threadIdx.y; r < ROWS + K - 1; r += ROWS) {
        for (int s = threadIdx.x; s < COLUMNS + K - 1; s += COLUMNS) {
            int y = first_row + r - K / 2;
            int x = first_column + s - K / 2;
            tile[r][s] = y >= 0 && y < H && x >= 0 && x < W ? plane[y * W + x] : 0.0f;  // <- here
        }
    }
    __syncthreads();

    float sum = 0.0f;
    for (int r = 0; r < K; r++) {
        for (int s = 0; s < K; s++) {
            sum += own[r * K + s] * tile[threadIdx.y + r][threadIdx.x + s];
        }
    }
    int row = first_row + threadIdx.y;
    int column = first_column + threadIdx.x;
    if (row < H && column < W) {
        output[((size_t)blockIdx.z * H + row) * W + column] = sum;
    }
}
