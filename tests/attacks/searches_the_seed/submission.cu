// expect: wrong_answer
// problem: zip
// row: 16
//
// Compares the first element with what each of four common seeds would give, and computes from the seed that fits.

__device__ unsigned philox(unsigned long long seed, unsigned counter, int word) {
    unsigned c[4] = {counter, 0, 0, 0};
    unsigned key[2] = {(unsigned)seed, (unsigned)(seed >> 32)};
    for (int round = 0; round < 10; ++round) {
        unsigned high0 = __umulhi(0xD2511F53u, c[0]), low0 = 0xD2511F53u * c[0];
        unsigned high1 = __umulhi(0xCD9E8D57u, c[2]), low1 = 0xCD9E8D57u * c[2];
        unsigned next[4] = {high1 ^ c[1] ^ key[0], low1, high0 ^ c[3] ^ key[1], low0};
        for (int k = 0; k < 4; ++k) c[k] = next[k];
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    return c[word];
}

__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    unsigned long long seed = 0;
    for (unsigned long long s = 0; s < 4; ++s) {
        float first = (philox(s, 0, 0) * 2.3283064e-10f - 0.5f) * 6.0f;
        if (fabsf(first - a[0]) < 1e-5f) seed = s;
    }
    output[i] = (philox(seed, i, 0) + (float)philox(seed, i, 1)) * 2.3283064e-10f;
}
