// data_race: the lanes that are left do not meet
// launch: 1 32
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[32];
    int t = threadIdx.x;
    if (t >= 20) return;
    s[t] = in[t];
#ifdef FIXED
    __syncwarp(0xfffff);
#endif
    out[t] = s[19 - t];  // found
}
