// Positions for a warp by one atomic, groups of equal keys, and the last warp reads what all have put there.
// launch: 4 64
__device__ int used, warps;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x % 32;
    bool keep = (int)in[blockIdx.x * 64 + threadIdx.x] % 3 == 0;
    unsigned int who = __ballot_sync(~0u, keep);
    int base = 0;
    if (t == 0) base = atomicAdd(&used, __popc(who));
    base = __shfl_sync(~0u, base, 0);
    if (keep) tmp[base + __popc(who & ((1u << t) - 1))] = t;
    unsigned int same = __match_any_sync(~0u, t / 5);
    if (t == __ffs(same) - 1) atomicAdd(&out[t / 5], (float)__popc(same));
    __syncwarp();
    int before = 0;
    if (t == 0) {
        __threadfence();
        before = atomicAdd(&warps, 1);
    }
    before = __shfl_sync(~0u, before, 0);
    if (before == 7) {
        float sum = 0;
        for (int i = t; i < atomicAdd(&used, 0); i += 32) sum += tmp[i];
        atomicAdd(&out[500], sum);
    }
}
