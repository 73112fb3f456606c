// expect: compile_error
//
// Depthwise convolution that takes no B.
//
// The kernel is launched with B, whether it needs it or not.

__global__ void depthwise_kernel(const float* input, const float* weights, float* output, int C, int H, int W,
                                 int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= H || column >= W) {
        return;
    }
    const float* plane = input + (size_t)blockIdx.z * H * W;
    const float* own = weights + blockIdx.z % C * K * K;
    float sum = 0.0f;
    for (int r = 0; r < K; r++) {
        for (int s = 0; s < K; s++) {
            int y = row + r - K / 2;
            int x = column + s - K / 2;
            if (y >= 0 && y < H && x >= 0 && x < W) {
                sum += own[r * K + s] * plane[y * W + x];
            }
        }
    }
    output[((size_t)blockIdx.z * H + row) * W + column] = sum;
}
