// expect: accepted
//
// Colour inversion, step 2: a pixel in one instruction.
//
// Added to step 1: uchar4 has a pixel's size and alignment, so that one load and one store take the place of four
// each. Expect up to twice the speed.

__global__ void invert_kernel(const unsigned char* input, unsigned char* output, int H, int W) {
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel < H * W) {
        uchar4 p = reinterpret_cast<const uchar4*>(input)[pixel];
        reinterpret_cast<uchar4*>(output)[pixel] = make_uchar4(255 - p.x, 255 - p.y, 255 - p.z, p.w);
    }
}
