// expect: runtime_error out_of_bounds
//
// 2D convolution that takes a row of the weights to have R elements.
//
// It has S. Square weights come out right, and the others are read beyond their end.

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int H, int W, int R,
                                   int S) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < H && x < W) {
        float sum = 0.0f;
        for (int r = 0; r < R; ++r) {
            for (int s = 0; s < S; ++s) {
                float weight = weights[r * R + s];  // <- here
                int row = y + r - R / 2;
                int column = x + s - S / 2;
                if (row >= 0 && row < H && column >= 0 && column < W) {
                    sum += weight * input[row * W + column];
                }
            }
        }
        output[y * W + x] = sum;
    }
}
