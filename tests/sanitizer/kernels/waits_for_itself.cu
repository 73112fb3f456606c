// deadlock: half of the block waits at a barrier that counts all of it
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x;
#ifdef FIXED
    asm volatile("bar.sync 1, 64;" ::: "memory");
#else
    if (t < 32) asm volatile("bar.sync 1, 64;" ::: "memory");  // found
    else asm volatile("bar.sync 2, 64;" ::: "memory");  // found
#endif
    out[t] = in[t];
}
