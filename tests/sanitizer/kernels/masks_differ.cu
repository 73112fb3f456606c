// barrier_divergence: the lanes of a group meet under masks of their own
// launch: 1 32
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x;
#ifdef FIXED
    unsigned mask = 0xFFu << t / 8 * 8;
#else
    unsigned mask = t % 2 ? 0xFFu << t / 8 * 8 : ~0u;
#endif
    out[t] = __shfl_xor_sync(mask, in[t], 1);  // found
}
