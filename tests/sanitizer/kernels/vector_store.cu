// data_race: a store of four elements overlaps with the next thread's
// launch: 1 32
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ __align__(16) float s[256];
    int t = threadIdx.x;
    float4 v = make_float4(in[t], in[t + 1], in[t + 2], t);
#ifdef FIXED
    *(float4*)&s[4 * t] = v;
#else
    *(float4*)&s[4 * (t / 2)] = v;  // found
#endif
    __syncthreads();
    out[t] = s[t];
}
