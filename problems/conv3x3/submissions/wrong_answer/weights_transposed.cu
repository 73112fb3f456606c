// expect: wrong_answer wrong_value
//
// 3 x 3 convolution with rows and columns of the weights swapped.
//
// Row r comes first.

__global__ void conv3x3_kernel(const float* input, const float* weights, float* output, int B, int C, int F, int H,
                               int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= H || column >= W) {
        return;
    }
    const float* image = input + (size_t)(blockIdx.z / F) * C * H * W;
    const float* filter = weights + (size_t)(blockIdx.z % F) * C * 9;
    float sum = 0.0f;
    for (int c = 0; c < C; c++) {
        for (int r = 0; r < 3; r++) {
            for (int s = 0; s < 3; s++) {
                int y = row + r - 1;
                int x = column + s - 1;
                if (y >= 0 && y < H && x >= 0 && x < W) {
                    sum += filter[c * 9 + s * 3 + r] * image[((size_t)c * H + y) * W + x];
                }
            }
        }
    }
    output[((size_t)blockIdx.z * H + row) * W + column] = sum;
}
