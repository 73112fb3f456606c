// data_race: the next copy goes into a tile that other threads are still reading
#include <cuda_pipeline.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    float sum = 0;
    for (int round = 0; round < 8; ++round) {
        __pipeline_memcpy_async(&s[t], &in[128 * round + t], 4);  // found
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += s[127 - t];  // found
#ifdef FIXED
        __syncthreads();
#endif
    }
    out[t] = sum;
}
