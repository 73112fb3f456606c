// expect: wrong_answer wrong_value
//
// Colour inversion for images whose pixels begin with blue.
//
// Some files have blue, green, red. These have red first.

__global__ void invert_kernel(const unsigned char* input, unsigned char* output, int H, int W) {
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel < H * W) {
        uchar4 p = reinterpret_cast<const uchar4*>(input)[pixel];
        reinterpret_cast<uchar4*>(output)[pixel] = make_uchar4(255 - p.z, 255 - p.y, 255 - p.x, p.w);
    }
}
