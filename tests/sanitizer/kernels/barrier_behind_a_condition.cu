// barrier_divergence: && keeps some threads from the barrier that counts
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x, found = 0;
    for (int i = 0; i < 3; ++i) {
        int mine = in[t] > 20 + i;
#ifdef FIXED
        int others = __syncthreads_count(mine);
        found += mine && others > 4;
#else
        found += mine && __syncthreads_count(mine) > 4;  // found
#endif
        out[64 * i + t] = found;
    }
}
