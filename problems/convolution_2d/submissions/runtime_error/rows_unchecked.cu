// expect: runtime_error out_of_bounds
//
// 2D convolution that checks columns and not rows.
//
// Above the first row and below the last there is no image either.

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int H, int W, int R,
                                   int S) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < H && x < W) {
        float sum = 0.0f;
        for (int r = 0; r < R; ++r) {
            for (int s = 0; s < S; ++s) {
                int row = y + r - R / 2;
                int column = x + s - S / 2;
                if (column >= 0 && column < W) {
                    sum += weights[r * S + s] * input[row * W + column];  // <- here
                }
            }
        }
        output[y * W + x] = sum;
    }
}
