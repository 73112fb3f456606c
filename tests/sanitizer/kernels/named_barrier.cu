// data_race: the halves of the block meet by themselves
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = in[t];
#ifdef FIXED
    asm volatile("bar.sync 1, 128;" ::: "memory");
#endif
    out[t] = s[(t + 64) % 128];  // found
}
