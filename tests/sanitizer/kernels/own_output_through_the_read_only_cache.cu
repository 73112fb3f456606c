// data_race: the carry is read through the read-only cache, which nothing keeps up to date
// launch: 1 128
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    for (int start = 0; start < n; start += 128) {
        s[t] = in[start + t];
        __syncthreads();
#ifdef FIXED
        float carry = start ? out[start - 1] : 0.0f;
#else
        float carry = start ? __ldg(out + start - 1) : 0.0f;  // found
#endif
        out[start + t] = carry + s[127 - t];
        __syncthreads();
    }
}
