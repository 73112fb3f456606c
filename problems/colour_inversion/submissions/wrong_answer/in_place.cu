// expect: wrong_answer changed_input
//
// Colour inversion in place, with a copy for the caller.
//
// The caller wants the original too.

__global__ void invert_kernel(const unsigned char* input, unsigned char* output, int H, int W) {
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel < H * W) {
        for (int colour = 0; colour < 3; colour++) {
            const_cast<unsigned char*>(input)[4 * pixel + colour] = 255 - input[4 * pixel + colour];
            output[4 * pixel + colour] = input[4 * pixel + colour];
        }
        output[4 * pixel + 3] = input[4 * pixel + 3];
    }
}
