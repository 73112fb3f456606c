// out_of_bounds: one vertex too many is looked at, whose row has no end
// launch: 3 32
__device__ int first[65];
extern "C" __global__ void fill(float* out, const float* in, int n) { first[threadIdx.x] = threadIdx.x; }
extern "C" __global__ void k(float* out, const float* in, int n) {
    int v = blockIdx.x * 32 + threadIdx.x;
#ifdef FIXED
    if (v >= 64) return;
#else
    if (v > 64) return;
#endif
    float sum = 0;
    for (int e = first[v]; e < first[v + 1]; ++e) sum += in[e];  // found
    out[v] = sum;
}
