// data_race: in the last round no group comes after the one that is used, so that none may be left under way
#include <cuda_pipeline.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[2][128];
    int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&s[0][t], &in[t], 4);
    __pipeline_commit();
    for (int round = 0; round < 8; ++round) {
        if (round < 7) {
            __pipeline_memcpy_async(&s[(round + 1) % 2][t], &in[128 * (round + 1) + t], 4);
            __pipeline_commit();
        }
#ifdef FIXED
        else __pipeline_wait_prior(0);
#endif
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[round % 2][127 - t];  // found
        __syncthreads();
    }
    out[t] = sum;
}
