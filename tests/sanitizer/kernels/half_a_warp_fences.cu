// data_race: the lanes of a half have met before the fence, but the flag is raised for both halves
// launch: 2 32
__device__ int flag;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        tmp[t] = in[t];  // found
#ifdef FIXED
        __syncwarp();
#else
        if (t < 16) __syncwarp(0xffff);
#endif
        if (t == 0) {
            __threadfence();
            atomicExch(&flag, 1);
        }
    } else {
        while (atomicAdd(&flag, 0) == 0) {}
        __threadfence();
        out[t] = tmp[t];  // found
    }
}
