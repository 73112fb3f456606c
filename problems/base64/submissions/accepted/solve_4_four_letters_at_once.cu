// expect: accepted
//
// Base64, step 4: four letters by one calculation.
//
// Added to step 3: four letters are the bytes of one word. A number below 64 and 128 - 26 add up to 128 or more just if it
// is 26 or more, so that the highest bit of each byte is a comparison, and no carry reaches the next byte. What the four
// ranges differ by is then added to all bytes at once: some 25 operations for four letters instead of 50. Step 3 is
// limited by the instructions that it issues; expect half of its time.

#include <cuda_runtime.h>

#define BLOCK 256

// One in each byte that is `least` or more, of bytes below 64.
__device__ __forceinline__ unsigned reached(unsigned bytes, unsigned least) {
    return (bytes + (128 - least) * 0x01010101u) >> 7 & 0x01010101u;
}

// The four letters of 24 bits, the first one in the lowest byte.
__device__ __forceinline__ unsigned letters(unsigned bits) {
    const unsigned sixes = bits >> 18 | bits >> 4 & 0x3f00 | bits << 10 & 0x3f0000 | bits << 24 & 0x3f000000;
    // Capitals begin at 65 for 0, small letters at 97 for 26, digits at 48 for 52; + is 43 for 62, and / is 47 for 63.
    return sixes + 0x41414141u + 6 * reached(sixes, 26) - 75 * reached(sixes, 52) - 15 * reached(sixes, 62) +
           3 * reached(sixes, 63);
}

__global__ void __launch_bounds__(BLOCK)
    encode(const unsigned char* __restrict__ input, unsigned char* __restrict__ output, int N) {
    const int thread = blockIdx.x * BLOCK + threadIdx.x;
    // Below 2^31, as N is at most 300 million.
    const int first = 12 * thread;
    if (first + 12 <= N) {
        const unsigned* words = reinterpret_cast<const unsigned*>(input) + 3 * thread;
        const unsigned a = words[0];
        const unsigned b = words[1];
        const unsigned c = words[2];
        uint4 sixteen;
        sixteen.x = letters(__byte_perm(a, 0, 0x4012));
        sixteen.y = letters(__byte_perm(a, b, 0x3345) & 0xffffff);
        sixteen.z = letters(__byte_perm(b, c, 0x2234) & 0xffffff);
        sixteen.w = letters(__byte_perm(c, 0, 0x4123));
        reinterpret_cast<uint4*>(output)[thread] = sixteen;
        return;
    }
    for (int i = first; i < N; i += 3) {
        unsigned bits = input[i] << 16;
        bits |= i + 1 < N ? input[i + 1] << 8 : 0;
        bits |= i + 2 < N ? input[i + 2] : 0;
        unsigned four = letters(bits);
        four = i + 2 < N ? four : (four & 0x00ffffff) | '=' << 24;
        four = i + 1 < N ? four : (four & 0xff00ffff) | '=' << 16;
        reinterpret_cast<unsigned*>(output)[i / 3] = four;
    }
}

extern "C" void solve(const unsigned char* input, unsigned char* output, int N) {
    int threads = (N + 11) / 12;
    encode<<<(threads + BLOCK - 1) / BLOCK, BLOCK>>>(input, output, N);
}
