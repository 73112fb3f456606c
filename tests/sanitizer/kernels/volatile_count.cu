// data_race: threads count with a volatile variable
// launch: 2 64
__device__ volatile int count;
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x;
#ifdef FIXED
    if (in[t] > 3) atomicAdd((int*)&count, 1);
#else
    if (in[t] > 3) count = count + 1;  // found
#endif
}
