// data_race: a plain store, then a volatile one of the same thread; another block stores volatile
// launch: 2 32
__device__ int place;
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
#ifndef FIXED
        place = 1;  // found
        __threadfence_block();
#endif
        *(volatile int*)&place = 2;
    } else *(volatile int*)&place = 3;  // found
}
