// expect: accepted
//
// 2D average pooling, step 2: sums of rows first, in shared memory.
//
// Added to step 1: the block adds up K elements of each row that its windows touch, once for all windows that the row
// belongs to, and then K of these sums for each output. With K = 8 and S = 1 a thread reads 15 elements of the input
// instead of 64. With S >= K windows share nothing, and a block does as in step 1.

#define COLUMNS 32
#define ROWS 8
#define LARGEST 8

__device__ __forceinline__ float mean_of_window(const float* __restrict__ plane, int row, int column, int H, int W, int K,
                                                int S, int P) {
    int top = max(row * S - P, 0);
    int bottom = min(row * S - P + K, H);
    int left = max(column * S - P, 0);
    int right = min(column * S - P + K, W);
    float sum = 0.0f;
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++) {
            sum += plane[y * W + x];
        }
    }
    return sum / ((bottom - top) * (right - left));
}

__global__ void __launch_bounds__(COLUMNS * ROWS)
    average_pooling_kernel(const float* __restrict__ input, float* __restrict__ output, int C, int H, int W, int K,
                           int S, int P, int OH, int OW) {
    __shared__ float sums[(ROWS - 1) * LARGEST + LARGEST][COLUMNS];
    const float* plane = input + (size_t)blockIdx.z * H * W;
    int column = blockIdx.x * COLUMNS + threadIdx.x;
    int row = blockIdx.y * ROWS + threadIdx.y;
    if (S >= K) {
        if (row < OH && column < OW) {
            output[((size_t)blockIdx.z * OH + row) * OW + column] = mean_of_window(plane, row, column, H, W, K, S, P);
        }
        return;
    }
    int left = max(column * S - P, 0);
    int right = min(column * S - P + K, W);
    int first = blockIdx.y * ROWS * S - P;
    int rows = (ROWS - 1) * S + K;
    for (int r = threadIdx.y; r < rows; r += ROWS) {
        int y = first + r;
        float sum = 0.0f;
        if (y >= 0 && y < H) {
            for (int x = left; x < right; x++) {
                sum += plane[y * W + x];
            }
        }
        sums[r][threadIdx.x] = sum;
    }
    __syncthreads();

    if (row < OH && column < OW) {
        float sum = 0.0f;
        for (int r = 0; r < K; r++) {
            sum += sums[threadIdx.y * S + r][threadIdx.x];
        }
        int top = max(row * S - P, 0);
        int bottom = min(row * S - P + K, H);
        output[((size_t)blockIdx.z * OH + row) * OW + column] = sum / ((bottom - top) * (right - left));
    }
}
