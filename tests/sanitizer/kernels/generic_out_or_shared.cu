// data_race: a pointer that may be to either memory is written by two threads
// launch: 2 64
__noinline__ __device__ void put(float* where, float value) {
    *where = value;  // found
}
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
#ifdef FIXED
    put(t % 2 ? &s[t] : &out[blockIdx.x * 64 + t], in[t]);
#else
    put(t % 2 ? &s[t] : &out[t], in[t] + blockIdx.x);
#endif
}
