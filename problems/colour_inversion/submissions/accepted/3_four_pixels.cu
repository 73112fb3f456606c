// expect: accepted
//
// Colour inversion, step 3: four pixels a thread, three colours an operation.
//
// Added to step 2: 255 - x inverts the bits of x, so an exclusive or with 0x00ffffff inverts the three lower bytes
// of a pixel, which are its colours. uint4 moves four pixels at once; the first threads take the fours, the next
// the rest.

#define BLOCK 512

__global__ void invert_kernel(const unsigned char* input, unsigned char* output, int H, int W) {
    const unsigned colours = 0x00ffffffu;
    int thread = blockIdx.x * BLOCK + threadIdx.x;
    int fours = H * W / 4;
    if (thread < fours) {
        uint4 p = reinterpret_cast<const uint4*>(input)[thread];
        reinterpret_cast<uint4*>(output)[thread] =
            make_uint4(p.x ^ colours, p.y ^ colours, p.z ^ colours, p.w ^ colours);
    } else {
        int pixel = 4 * fours + (thread - fours);
        if (pixel < H * W) {
            reinterpret_cast<unsigned*>(output)[pixel] = reinterpret_cast<const unsigned*>(input)[pixel] ^ colours;
        }
    }
}
