// expect: runtime_error out_of_bounds
//
// 2D convolution that reads around the image.
//
// The statement says that the input counts as 0 there. It does not say that there are zeros in memory.

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int H, int W, int R,
                                   int S) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < H && x < W) {
        float sum = 0.0f;
        for (int r = 0; r < R; ++r) {
            for (int s = 0; s < S; ++s) {
                sum += weights[r * S + s] * input[(y + r - R / 2) * W + x + s - S / 2];  // <- here
            }
        }
        output[y * W + x] = sum;
    }
}
