// expect: wrong_answer unwritten_output
//
// 2D convolution that leaves out the edges of the image.
//
// The student avoided the checks by computing only outputs whose weights all meet an element. The edges belong to the
// output.

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int H, int W, int R,
                                   int S) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int top = y - R / 2;
    int left = x - S / 2;
    if (top >= 0 && left >= 0 && top + R <= H && left + S <= W) {
        float sum = 0.0f;
        for (int r = 0; r < R; ++r) {
            for (int s = 0; s < S; ++s) {
                sum += weights[r * S + s] * input[(top + r) * W + left + s];
            }
        }
        output[y * W + x] = sum;
    }
}
