// expect: wrong_answer wrong_value
//
// Colour inversion with 256 - x.
//
// A byte has 256 values, but the largest is 255. All is off by one, and 0 becomes 256, which is 0 again in a byte.

__global__ void invert_kernel(const unsigned char* input, unsigned char* output, int H, int W) {
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel < H * W) {
        for (int colour = 0; colour < 3; colour++) {
            output[4 * pixel + colour] = 256 - input[4 * pixel + colour];
        }
        output[4 * pixel + 3] = input[4 * pixel + 3];
    }
}
