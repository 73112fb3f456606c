// expect: wrong_answer wrong_value
//
// Median of the medians of three columns.
//
// It lies near the median, and often is it. But columns (1, 2, 9), (3, 4, 5) and (6, 7, 8) have it at 5.

__device__ __forceinline__ int median_of(int a, int b, int c) {
    return max(min(a, b), min(max(a, b), c));
}

__global__ void median_kernel(const unsigned char* __restrict__ input, unsigned char* __restrict__ output, int H,
                              int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= H || column >= W) {
        return;
    }
    const unsigned char* above = input + max(row - 1, 0) * W;
    const unsigned char* here = input + row * W;
    const unsigned char* below = input + min(row + 1, H - 1) * W;
    int low[3], middle[3], high[3];
#pragma unroll
    for (int s = 0; s < 3; s++) {
        int x = min(max(column + s - 1, 0), W - 1);
        int a = above[x];
        int b = here[x];
        int c = below[x];
        low[s] = min(a, min(b, c));
        middle[s] = median_of(a, b, c);
        high[s] = max(a, max(b, c));
    }
    output[row * W + column] = median_of(middle[0], middle[1], middle[2]);
}
