// expect: runtime_error misaligned
//
// Base64 that loads a group as a word of four bytes.
//
// A word has to begin at a multiple of four; every third byte rarely does.

#define BLOCK 256

__device__ __forceinline__ unsigned letter(unsigned six) {
    unsigned code = six + 'A';
    code += six >= 26 ? 'a' - 'A' - 26 : 0;
    code -= six >= 52 ? 'a' - '0' + 26 : 0;
    code = six == 62 ? '+' : code;
    return six == 63 ? '/' : code;
}

__global__ void base64_kernel(const unsigned char* input, unsigned char* output, int N) {
    int group = blockIdx.x * BLOCK + threadIdx.x;
    int i = 3 * group;
    if (i >= N) {
        return;
    }
    unsigned bits = 0;
    if (i + 3 < N) {
        bits = __byte_perm(*reinterpret_cast<const unsigned*>(input + i), 0, 0x4012);  // <- here
    } else {
        bits = input[i] << 16;
        bits |= i + 1 < N ? input[i + 1] << 8 : 0;
        bits |= i + 2 < N ? input[i + 2] : 0;
    }
    uchar4 four;
    four.x = letter(bits >> 18);
    four.y = letter(bits >> 12 & 63);
    four.z = i + 1 < N ? letter(bits >> 6 & 63) : '=';
    four.w = i + 2 < N ? letter(bits & 63) : '=';
    reinterpret_cast<uchar4*>(output)[group] = four;
}
