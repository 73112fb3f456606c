// data_race: half of the warp meets, the other half does not
// launch: 1 32
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t < 16) __syncwarp(0xffff);
    else __syncwarp(0xffff0000u);
#ifdef FIXED
    out[t] = s[t ^ 8];
#else
    out[t] = s[t ^ 16];  // found
#endif
}
