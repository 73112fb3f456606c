// expect: wrong_answer unwritten_output
//
// Base64 that writes as many letters as the bits are enough for.
//
// Where they end, `=` fills up the last four.

#define BLOCK 256

__constant__ char letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

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
    if (i + 1 < N) {
        to[2] = letters[bits >> 6 & 63];
    }
    if (i + 2 < N) {
        to[3] = letters[bits & 63];
    }
}
