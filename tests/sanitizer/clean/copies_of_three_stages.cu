// Two tiles are on their way while one is used: each round waits for all groups but the last two, then for the block.
// launch: 2 128
#include <cuda_pipeline.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float4 s[3][32];
    int t = threadIdx.x;
    float sum = 0;
    for (int stage = 0; stage < 2; ++stage) {
        if (t < 32) __pipeline_memcpy_async(&s[stage][t], &in[128 * stage + 4 * t], 16);
        __pipeline_commit();
    }
    for (int round = 0; round < 8; ++round) {
        __pipeline_wait_prior(1);
        __syncthreads();
        int next = round + 2;
        if (next < 8 && t < 32) __pipeline_memcpy_async(&s[next % 3][t], &in[128 * next + 4 * t], 16);
        __pipeline_commit();
        sum += reinterpret_cast<float*>(s[round % 3])[127 - t];
    }
    out[blockIdx.x * 128 + t] = sum;
}
