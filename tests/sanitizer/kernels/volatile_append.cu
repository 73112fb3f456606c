// data_race: a slot is taken from a volatile counter in two steps
// launch: 2 32
__device__ volatile int tail;
extern "C" __global__ void k(float* out, const float* in, int n) {
#ifdef FIXED
    int slot = atomicAdd((int*)&tail, 1);
#else
    int slot = tail;
    tail = slot + 1;  // found
#endif
    out[slot] = in[threadIdx.x];  // found
}
