// expect: runtime_error out_of_bounds
//
// 2D convolution whose loop over the rows of the weights takes one more.
//
// Counted from -R/2 to R/2, an even R would have R + 1 rows; here every R has, and the last is read beyond the end.

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int H, int W, int R,
                                   int S) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < H && x < W) {
        float sum = 0.0f;
        for (int r = 0; r <= R; ++r) {
            for (int s = 0; s < S; ++s) {
                float weight = weights[r * S + s];  // <- here
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
