// data_race: in shared memory: cleared plainly, counted with, looked at by another warp as volatile
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ int a;
    if (threadIdx.x == 0) {
        a = 0;  // found
#ifdef FIXED
    }
    __syncthreads();
    if (threadIdx.x == 0) {
#endif
        atomicAdd(&a, 1);
    }
    if (threadIdx.x == 32) out[0] = *(volatile int*)&a;  // found
}
