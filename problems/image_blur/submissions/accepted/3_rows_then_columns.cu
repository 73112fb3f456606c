// expect: accepted
//
// Image blur, step 3: sums of rows first, then sums of these, where squares are large.
//
// Added to step 2: for R above 3 the block copies its tile and what surrounds it to shared memory. Each row of the tile
// is summed once, for all pixels above and below that need it. For R = 31 that makes 78 row sums for 16 rows of pixels:
// 370 additions a pixel instead of 3969. Small squares stay as in step 2, in blocks of the same shape: blocks of 32 x
// 32 suit large squares better, and made small ones 18 % slower.

#define TILE 16
#define MOST 31
#define FEW 3

// A pixel whose square lies inside of the image.
template <int RADIUS>
__device__ __forceinline__ int mean_inside(const unsigned char* __restrict__ input, int row, int column, int W) {
    constexpr int SIDE = 2 * RADIUS + 1;
    const unsigned char* line = input + (row - RADIUS) * W + column;
    int sum = 0;
#pragma unroll
    for (int y = 0; y < SIDE; y++) {
#pragma unroll
        for (int x = -RADIUS; x <= RADIUS; x++) {
            sum += line[x];
        }
        line += W;
    }
    return (sum + SIDE * SIDE / 2) / (SIDE * SIDE);
}

__device__ __forceinline__ int mean_anywhere(const unsigned char* __restrict__ input, int row, int column, int H, int W,
                                             int R) {
    int top = max(row - R, 0);
    int bottom = min(row + R, H - 1);
    int left = max(column - R, 0);
    int right = min(column + R, W - 1);
    int sum = 0;
    for (int y = top; y <= bottom; y++) {
        for (int x = left; x <= right; x++) {
            sum += input[y * W + x];
        }
    }
    int count = (bottom - top + 1) * (right - left + 1);
    return (sum + count / 2) / count;
}

__device__ __forceinline__ int mean_of_few(const unsigned char* __restrict__ input, int row, int column, int H, int W,
                                           int R) {
    bool inside = row >= R && row < H - R && column >= R && column < W - R;
    if (inside && R == 1) {
        return mean_inside<1>(input, row, column, W);
    }
    if (inside && R == 2) {
        return mean_inside<2>(input, row, column, W);
    }
    if (inside && R == 3) {
        return mean_inside<3>(input, row, column, W);
    }
    return mean_anywhere(input, row, column, H, W, R);
}

__global__ void blur_kernel(const unsigned char* __restrict__ input, unsigned char* __restrict__ output, int H, int W,
                            int R) {
    __shared__ unsigned char pixels[TILE + 2 * MOST][TILE + 2 * MOST];
    __shared__ unsigned short sums[TILE + 2 * MOST][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    if (R <= FEW) {
        if (row < H && column < W) {
            output[row * W + column] = mean_of_few(input, row, column, H, W, R);
        }
        return;
    }
    int side = TILE + 2 * R;
    int first_row = blockIdx.y * TILE - R;
    int first_column = blockIdx.x * TILE - R;
    int thread = threadIdx.y * TILE + threadIdx.x;
    for (int k = thread; k < side * side; k += TILE * TILE) {
        int y = first_row + k / side;
        int x = first_column + k % side;
        bool inside = y >= 0 && y < H && x >= 0 && x < W;
        pixels[k / side][k % side] = inside ? input[y * W + x] : 0;
    }
    __syncthreads();
    for (int y = threadIdx.y; y < side; y += TILE) {
        int sum = 0;
        for (int x = 0; x <= 2 * R; x++) {
            sum += pixels[y][threadIdx.x + x];
        }
        sums[y][threadIdx.x] = sum;
    }
    __syncthreads();

    if (row < H && column < W) {
        int sum = 0;
        for (int y = 0; y <= 2 * R; y++) {
            sum += sums[threadIdx.y + y][threadIdx.x];
        }
        int rows = min(row + R, H - 1) - max(row - R, 0) + 1;
        int columns = min(column + R, W - 1) - max(column - R, 0) + 1;
        output[row * W + column] = rintf((float)sum / (rows * columns));
    }
}
