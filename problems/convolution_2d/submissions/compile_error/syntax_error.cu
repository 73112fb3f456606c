// expect: compile_error
//
// 2D convolution with a closing parenthesis missing.
//
// The student lost count of the parentheses.

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int H, int W, int R,
                                   int S) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if ((y < H && x < W) {  // <- here
        output[y * W + x] = weights[0] * input[y * W + x];
    }
}
