// data_race: not even the thread that has begun a copy may read what it brings before waiting for it
#include <cuda_pipeline.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float4 s[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[4 * t], 16);
    __pipeline_commit();
#ifdef FIXED
    __pipeline_wait_prior(0);
#endif
    out[t] = s[t].x + s[t].w;  // found
}
