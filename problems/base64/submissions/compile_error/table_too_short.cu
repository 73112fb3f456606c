// expect: compile_error
//
// Base64 with a table of 64 letters that is set by a text.
//
// C++ counts the zero at a text's end, which makes 65.

#define BLOCK 256

__constant__ char letters[64] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";  // <- here

__global__ void base64_kernel(const unsigned char* input, unsigned char* output, int N) {
    int group = blockIdx.x * BLOCK + threadIdx.x;
    int i = 3 * group;
    if (i >= N) {
        return;
    }
    unsigned bits = input[i] << 16;
    if (i + 1 < N) {
        bits |= input[i + 1] << 8;
    }
    if (i + 2 < N) {
        bits |= input[i + 2];
    }
    unsigned char* to = output + 4 * (size_t)group;
    to[0] = letters[bits >> 18];
    to[1] = letters[bits >> 12 & 63];
    to[2] = i + 1 < N ? letters[bits >> 6 & 63] : '=';
    to[3] = i + 2 < N ? letters[bits & 63] : '=';
}
