// expect: wrong_answer unwritten_output
//
// Colour inversion of whole fours of pixels.
//
// The last one to three pixels of an image belong to no four.

#define BLOCK 512

__global__ void invert_kernel(const unsigned char* input, unsigned char* output, int H, int W) {
    const unsigned colours = 0x00ffffffu;
    int thread = blockIdx.x * BLOCK + threadIdx.x;
    int fours = H * W / 4;
    if (thread < fours) {
        uint4 p = reinterpret_cast<const uint4*>(input)[thread];
        reinterpret_cast<uint4*>(output)[thread] =
            make_uint4(p.x ^ colours, p.y ^ colours, p.z ^ colours, p.w ^ colours);
    }
}
