// expect: accepted
//
// Colour inversion, step 1: a thread moves the four bytes of its pixel.
//
// A warp's load of one byte a thread covers 128 bytes and uses 32 of them; the cache has the rest ready for the
// next three.

__global__ void invert_kernel(const unsigned char* input, unsigned char* output, int H, int W) {
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel < H * W) {
        for (int colour = 0; colour < 3; colour++) {
            output[4 * pixel + colour] = 255 - input[4 * pixel + colour];
        }
        output[4 * pixel + 3] = input[4 * pixel + 3];
    }
}
