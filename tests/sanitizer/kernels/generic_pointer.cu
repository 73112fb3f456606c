// data_race: the same through a pointer that may point anywhere
__device__ __noinline__ void put(float* p, float v) {
    *p = v;
}
__device__ __noinline__ float get(float* p) {
    return *p;  // found
}
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    put(n > 5 ? &s[t] : out, in[t]);
#ifdef FIXED
    __syncthreads();
#endif
    float* from = n > 5 ? &s[127 - t] : out;  // found
    out[t] = get(from);  // found
}
