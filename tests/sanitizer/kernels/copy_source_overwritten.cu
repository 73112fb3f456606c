// data_race: what is being copied is overwritten before the copy has been waited for
#include <cuda_pipeline.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    out[t] = in[t];
    __syncthreads();
    __pipeline_memcpy_async(&s[t], &out[t], 4);
    __pipeline_commit();
#ifdef FIXED
    __pipeline_wait_prior(0);
#endif
    __syncthreads();
    out[127 - t] = 1;  // found
    __pipeline_wait_prior(0);
    __syncthreads();
    out[128 + t] = s[127 - t];
}
