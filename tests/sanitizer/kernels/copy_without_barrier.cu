// data_race: each thread waits for its own copies only, so that a barrier is needed as well
#include <cuda_pipeline.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
#ifdef FIXED
    __syncthreads();
#endif
    out[t] = s[127 - t];  // found
}
