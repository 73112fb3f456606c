// expect: runtime_error out_of_bounds
//
// Base64 that reads three bytes in the last group, too.

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
    unsigned bits = input[i] << 16;
    bits |= input[i + 1] << 8 | input[i + 2];  // <- here
    uchar4 four;
    four.x = letter(bits >> 18);
    four.y = letter(bits >> 12 & 63);
    four.z = i + 1 < N ? letter(bits >> 6 & 63) : '=';
    four.w = i + 2 < N ? letter(bits & 63) : '=';
    reinterpret_cast<uchar4*>(output)[group] = four;
}
