// data_race: a block waits for the first of many releases, and writes what the other one wrote after it
// launch: 2 32
__device__ int first, later;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    if (blockIdx.x == 0) {
        tmp[threadIdx.x] = 1;
        __threadfence();
        if (threadIdx.x == 0) atomicExch(&first, 1);
        tmp[32 + threadIdx.x] = 2;  // found
        for (int i = 0; i < 40; ++i) {
            __threadfence();
            if (threadIdx.x == 0) atomicAdd(&later, 1);
        }
    } else {
#ifdef FIXED
        while (atomicAdd(&later, 0) < 1) {}
#else
        while (atomicAdd(&first, 0) < 1) {}
#endif
        __threadfence();
        tmp[threadIdx.x] += 1;
        tmp[32 + threadIdx.x] = 3;  // found
    }
}
