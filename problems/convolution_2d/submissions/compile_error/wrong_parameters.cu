// expect: compile_error
//
// 2D convolution for square weights only.
//
// The student left out S, since weights are square in all examples. The launch passes seven arguments.

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int H, int W, int R) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < H && x < W) {
        output[y * W + x] = weights[0] * input[y * W + x] * R;
    }
}
