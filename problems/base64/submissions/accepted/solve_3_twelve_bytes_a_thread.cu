// expect: accepted
//
// Base64, step 3: four groups a thread.
//
// Added to step 2: a thread reads twelve bytes by three loads and writes sixteen letters by one store, so that a warp
// moves 384 bytes in and 512 out by seven instructions each. Bytes lie in a word with the first one lowest, where
// base64 wants it highest: __byte_perm takes any four of eight bytes in any order. The last groups, which do not fill a
// thread, go one by one.

#include <cuda_runtime.h>

#define BLOCK 256

__device__ __forceinline__ unsigned letter(unsigned six) {
    unsigned code = six + 'A';
    code += six >= 26 ? 'a' - 'A' - 26 : 0;
    code -= six >= 52 ? 'a' - '0' + 26 : 0;
    code = six == 62 ? '+' : code;
    return six == 63 ? '/' : code;
}

// The four letters of 24 bits, the first one in the lowest byte.
__device__ __forceinline__ unsigned letters(unsigned bits) {
    return letter(bits >> 18) | letter(bits >> 12 & 63) << 8 | letter(bits >> 6 & 63) << 16 | letter(bits & 63) << 24;
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
