// data_race: two threads compute the same output
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x;
#ifdef FIXED
    out[t] = in[t];
#else
    out[t / 2] = in[t];  // found
#endif
}
