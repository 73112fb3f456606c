// data_race: one lane takes the lock and leaves it, while its warp changes what the lock protects
// launch: 4 32
__device__ int lock;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    if (t == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {}
        __threadfence();
    }
#ifdef FIXED
    __syncwarp();
#endif
    out[t] = in[t] + blockIdx.x;  // found
#ifdef FIXED
    __syncwarp();
#endif
    if (t == 0) {
        __threadfence();
        atomicExch(&lock, 0);
    }
}
