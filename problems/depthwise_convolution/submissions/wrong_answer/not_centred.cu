// expect: wrong_answer wrong_value
//
// Depthwise convolution whose first weight meets the element.
//
// All weights lie K / 2 too far down and to the right.

__global__ void depthwise_kernel(const float* input, const float* weights, float* output, int B, int C, int H, int W,
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
            int y = row + r;
            int x = column + s;
            if (y >= 0 && y < H && x >= 0 && x < W) {
                sum += own[r * K + s] * plane[y * W + x];
            }
        }
    }
    output[((size_t)blockIdx.z * H + row) * W + column] = sum;
}
