// data_race: the flag that blocks wait by is written plainly
// launch: 2 32
__device__ int ready;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            tmp[0] = in[7];
            __threadfence();
#ifdef FIXED
            atomicExch(&ready, 1);
#else
            ready = 1;  // found
#endif
        }
    } else if (threadIdx.x == 0) {
        while (atomicAdd(&ready, 0) == 0) {}  // found
        __threadfence();
        out[0] = tmp[0];  // found
    }
}
