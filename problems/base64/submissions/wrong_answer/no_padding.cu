// expect: wrong_answer wrong_value
//
// Base64 whose last group is filled up with zero bytes, and no `=`.

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
    to[2] = letters[bits >> 6 & 63];
    to[3] = letters[bits & 63];
}
