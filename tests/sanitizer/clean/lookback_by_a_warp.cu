// Decoupled look-back by a whole warp: 64-bit status words by volatile accesses, polled until all have something.
// launch: 40 64
__device__ unsigned long long words[64];
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float before_all;
    volatile unsigned long long* status = words;
    int b = blockIdx.x, t = threadIdx.x;
    float v = in[b];
    if (t < 32) {
        if (t == 0) status[b] = ((b == 0 ? 2ull : 1ull) << 32) | __float_as_uint(v);
        float before = 0;
        for (int base = b - 1; base >= 0; base -= 32) {
            int p = base - t;
            unsigned long long s = p >= 0 ? status[p] : 2ull << 32;
            while (__any_sync(~0u, s >> 32 == 0)) s = p >= 0 ? status[p] : 2ull << 32;
            unsigned int done = __ballot_sync(~0u, s >> 32 == 2);
            float x = __uint_as_float((unsigned int)s);
            if (done && t > __ffs(done) - 1) x = 0;
            for (int d = 16; d; d /= 2) x += __shfl_xor_sync(~0u, x, d);
            before += x;
            if (done) break;
        }
        if (t == 0) {
            if (b) status[b] = (2ull << 32) | __float_as_uint(before + v);
            before_all = before;
        }
    }
    __syncthreads();
    if (t == 0) out[b] = before_all + v;
}
