// expect: compile_error
//
// Image blur for images of floats.
//
// The images are bytes.

__global__ void blur_kernel(const float* input, float* output, int H, int W, int R) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < H && column < W) {
        output[row * W + column] = input[row * W + column];
    }
}
