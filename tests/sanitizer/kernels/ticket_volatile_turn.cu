// data_race: a turn is handed on by counting it up
// launch: 6 64
__device__ volatile int serving;
__device__ int next_ticket, total;
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x != 0) return;
    int mine = atomicAdd(&next_ticket, 1);
#ifdef FIXED
    while (serving != mine) __nanosleep(20);
#endif
    __threadfence();
    total = total + mine;  // found
    __threadfence();
    serving = serving + 1;  // found
}
