// data_race: a counter is cleared, counted with, and handed on by a flag; without the wait the blocks are in no order
// launch: 4 32
__device__ int count;
__device__ volatile int ready;
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        count = 0;  // found
        atomicAdd(&count, 1);
        __threadfence();
        ready = 1;
    } else {
#ifdef FIXED
        while (!ready) {}
        __threadfence();
#endif
        atomicAdd(&count, 1);  // found
    }
}
