// Lanes come to their fences one after the other, as their loops end; then one of them counts the warp in.
// launch: 6 32
__device__ int count;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x, base = blockIdx.x * 128;
    for (int i = 0; i <= t % 4; ++i) {
        tmp[base + i * 32 + t] = in[i];
        if (i == t % 4) __threadfence();
    }
    int before = 0;
    if (t == 0) before = atomicAdd(&count, 1);
    before = __shfl_sync(~0u, before, 0);
    if (before == 5)
        for (int b = 0; b < 6; ++b) out[b * 32 + t] = tmp[b * 128 + (31 - t)];
}
