// expect: accepted
//
// 2D convolution, step 1: one thread computes one output.
//
// Each product asks whether its element exists. Neighbouring threads read neighbouring elements, so loads are coalesced
// and mostly hit the cache. What is left to gain: four comparisons and two loads for every multiplication.

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
                if (row >= 0 && row < H && column >= 0 && column < W) {
                    sum += weights[r * S + s] * input[row * W + column];
                }
            }
        }
        output[y * W + x] = sum;
    }
}
