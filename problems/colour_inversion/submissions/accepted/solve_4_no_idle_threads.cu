// expect: accepted
//
// Colour inversion, step 4: as many threads as there is work for.
//
// Added to step 3: that launch has a thread for each pixel, three of four with nothing to do, and to start and end them
// takes more time than the vectors save. The host launches a thread for every eight pixels: two loads of 16 bytes that
// lie a block apart, so that a warp's are neighbours. The results are stored past the cache, as nobody reads them soon.
// Expect a third less time.

#include <cuda_runtime.h>

#define BLOCK 256

__device__ __forceinline__ uint4 inverted(uint4 p) {
    const unsigned colours = 0x00ffffffu;
    return make_uint4(p.x ^ colours, p.y ^ colours, p.z ^ colours, p.w ^ colours);
}

__global__ void __launch_bounds__(BLOCK)
    invert(const unsigned char* __restrict__ input, unsigned char* __restrict__ output, int pixels) {
    const uint4* from = reinterpret_cast<const uint4*>(input);
    uint4* to = reinterpret_cast<uint4*>(output);
    const int fours = pixels / 4;
    const int here = 2 * blockIdx.x * BLOCK + threadIdx.x;
    const int there = here + BLOCK;
    if (there < fours) {
        const uint4 p = __ldcs(from + here);
        const uint4 q = __ldcs(from + there);
        __stcs(to + here, inverted(p));
        __stcs(to + there, inverted(q));
    } else if (here < fours) {
        to[here] = inverted(from[here]);
    }
    // The last block has the pixels that are left over, too.
    if (blockIdx.x == gridDim.x - 1 && 4 * fours + (int)threadIdx.x < pixels) {
        const int pixel = 4 * fours + threadIdx.x;
        reinterpret_cast<unsigned*>(output)[pixel] = reinterpret_cast<const unsigned*>(input)[pixel] ^ 0x00ffffffu;
    }
}

extern "C" void solve(const unsigned char* input, unsigned char* output, int H, int W) {
    const int pixels = H * W;
    invert<<<pixels / (8 * BLOCK) + 1, BLOCK>>>(input, output, pixels);
}
