// data_race: lanes of a warp exchange values without meeting
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = in[t];
#ifdef FIXED
    __syncwarp();
#endif
    out[t] = s[t ^ 1];  // found
}
