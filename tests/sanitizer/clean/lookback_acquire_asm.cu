// Look-back whose value lies apart: st.release and ld.acquire by inline PTX, whole warp looks back.
// launch: 20 32
__device__ int flags[64];
__device__ float sums[64], prefixes[64];
__device__ int get(const int* p) { int v; asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ void put(int* p, int v) { asm volatile("st.release.gpu.b32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); }
extern "C" __global__ void k(float* out, const float* in, int n) {
    int b = blockIdx.x, t = threadIdx.x;
    float v = in[b];
    if (t == 0) { sums[b] = v; put(&flags[b], 1); }
    float before = 0;
    int base = b - 1;
    while (base >= 0) {
        int p = base - t, f = 2;
        if (p >= 0) do f = get(&flags[p]); while (f == 0);
        float x = p < 0 ? 0 : f == 2 ? prefixes[p] : sums[p];
        unsigned done = __ballot_sync(~0u, p >= 0 && f == 2);
        int stop = done ? __ffs(done) - 1 : 31;
        x = t <= stop ? x : 0;
        for (int d = 16; d; d /= 2) x += __shfl_xor_sync(~0u, x, d);
        before += x;
        if (done) break;
        base -= 32;
    }
    if (t == 0) { prefixes[b] = before + v; put(&flags[b], 2); out[b] = before; }
}
