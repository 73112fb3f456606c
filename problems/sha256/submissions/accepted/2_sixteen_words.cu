// expect: accepted
//
// SHA-256, step 2: the last sixteen words are enough.
//
// Added to step 1: W[t] takes the place of W[t - 16], while the rounds go on. Sixteen words fit into registers, but only
// where the compiler knows every index. So the rounds are unrolled sixteen at a time; the outer loop is not, which keeps
// the code at a quarter of the size. The moves of h = g, g = f and so on disappear as well. No local memory is left.

#define BLOCK 128

__constant__ unsigned K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ unsigned rotated(unsigned x, int by) { return x >> by | x << (32 - by); }

// Byte i of the padded message.
__device__ unsigned padded(const unsigned char* message, int i, int length, int end) {
    if (i < length) {
        return message[i];
    }
    if (i == length) {
        return 128;
    }
    // The length in bits fits into the last four bytes.
    return i < end - 4 ? 0 : (unsigned)length * 8 >> (end - 1 - i) * 8 & 255;
}

__global__ void sha256_kernel(const unsigned char* messages, unsigned char* digests, int COUNT, int LENGTH) {
    int n = blockIdx.x * BLOCK + threadIdx.x;
    if (n >= COUNT) {
        return;
    }
    const unsigned char* message = messages + (size_t)n * LENGTH;
    unsigned state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    int end = (LENGTH + 9 + 63) / 64 * 64;
    for (int start = 0; start < end; start += 64) {
        unsigned W[16];
#pragma unroll
        for (int t = 0; t < 16; t++) {
            W[t] = 0;
            for (int k = 0; k < 4; k++) {
                W[t] = W[t] << 8 | padded(message, start + 4 * t + k, LENGTH, end);
            }
        }
        unsigned a = state[0], b = state[1], c = state[2], d = state[3];
        unsigned e = state[4], f = state[5], g = state[6], h = state[7];
#pragma unroll 1
        for (int sixteen = 0; sixteen < 64; sixteen += 16) {
#pragma unroll
            for (int r = 0; r < 16; r++) {
                if (sixteen > 0) {
                    unsigned early = W[(r + 1) % 16];
                    unsigned late = W[(r + 14) % 16];
                    W[r] += (rotated(early, 7) ^ rotated(early, 18) ^ early >> 3) + W[(r + 9) % 16] +
                            (rotated(late, 17) ^ rotated(late, 19) ^ late >> 10);
                }
                unsigned s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
                unsigned s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
                unsigned first = h + s1 + ((e & f) ^ (~e & g)) + K[sixteen + r] + W[r];
                unsigned second = s0 + ((a & b) ^ (a & c) ^ (b & c));
                h = g;
                g = f;
                f = e;
                e = d + first;
                d = c;
                c = b;
                b = a;
                a = first + second;
            }
        }
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
        state[4] += e;
        state[5] += f;
        state[6] += g;
        state[7] += h;
    }
    for (int i = 0; i < 32; i++) {
        digests[(size_t)n * 32 + i] = state[i / 4] >> (24 - i % 4 * 8);
    }
}
