// misaligned: a vector of four is read from an odd element on
// launch: 1 32
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x;
#ifdef FIXED
    float4 v = *reinterpret_cast<const float4*>(in + 4 * t);
#else
    float4 v = *reinterpret_cast<const float4*>(in + 4 * t + 1);  // found
#endif
    out[t] = v.x + v.w;
}
