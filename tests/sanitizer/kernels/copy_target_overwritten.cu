// data_race: padding is stored where a copy is still under way
#include <cuda_pipeline.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float4 s[32];
    int t = threadIdx.x;
    if (t < 32) {
        __pipeline_memcpy_async(&s[t], &in[4 * t], 16);
        __pipeline_commit();
#ifdef FIXED
        __pipeline_wait_prior(0);
#endif
        if (t == 31) s[t].w = 0;  // found
        __pipeline_wait_prior(0);
    }
    __syncthreads();
    out[t] = s[t / 4].w;
}
