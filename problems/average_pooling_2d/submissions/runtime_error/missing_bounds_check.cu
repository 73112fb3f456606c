// expect: runtime_error out_of_bounds
//
// 2D average pooling without a bounds check of the rows.
//
// The grid of blocks is rounded up in both directions; the surplus rows of threads have no output.

__global__ void average_pooling_kernel(const float* input, float* output, int C, int H, int W, int K, int S, int P,
                                       int OH, int OW) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= OW) {
        return;
    }
    const float* plane = input + (size_t)blockIdx.z * H * W;
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
    output[((size_t)blockIdx.z * OH + row) * OW + column] = sum / ((bottom - top) * (right - left));  // <- here
}
