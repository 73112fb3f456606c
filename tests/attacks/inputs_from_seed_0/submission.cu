// expect: wrong_answer wrong_value
// problem: map
// row: 16
//
// Never reads the input: makes it again with Philox from seed 0.

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

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float x = (philox(0, i / 4, i % 4) * 2.3283064e-10f - 0.5f) * 6.0f;
    output[i] = 1.0f / (1.0f + expf(-x));
}
