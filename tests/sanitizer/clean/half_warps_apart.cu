// Each half of a warp works by itself, with barriers of its own.
// launch: 2 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    unsigned half = t % 32 < 16 ? 0xFFFFu : 0xFFFF0000u;
    s[t] = in[t];
    for (int by = 8; by > 0; by /= 2) {
        __syncwarp(half);
        float other = s[t ^ by];
        __syncwarp(half);
        s[t] += other;
    }
    __syncwarp(half);
    out[blockIdx.x * 64 + t] = s[t / 16 * 16];
}
