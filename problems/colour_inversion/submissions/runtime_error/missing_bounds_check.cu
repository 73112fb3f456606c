// expect: runtime_error out_of_bounds
//
// Colour inversion without a bounds check.
//
// The last block is complete even where the image is not.

__global__ void invert_kernel(const unsigned char* input, unsigned char* output, int H, int W) {
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    uchar4 p = reinterpret_cast<const uchar4*>(input)[pixel];  // <- here
    reinterpret_cast<uchar4*>(output)[pixel] = make_uchar4(255 - p.x, 255 - p.y, 255 - p.z, p.w);
}
