// data_race: a thread clears plainly what it counts with, and others look at as volatile
// launch: 2 32
__device__ int a[4];
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
#ifdef FIXED
        atomicExch(&a[0], 5);
#else
        a[0] = 5;  // found
#endif
        atomicAdd(&a[0], 1);
    } else {
        for (int r = 0; r < 3000; r++)
            if (*(volatile int*)&a[0] == 6) { out[0] = 1; break; }  // found
    }
}
