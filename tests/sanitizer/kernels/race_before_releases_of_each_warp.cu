// data_race: all blocks write one total, and then each of their warps says that it is done
// launch: 3 1024
__device__ int done;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 0) {
#ifdef FIXED
        atomicAdd(&out[lane], 1.0f);
#else
        tmp[lane] = blockIdx.x;  // found
#endif
    }
    __threadfence();
    if (lane == 0) atomicAdd(&done, 1);
}
