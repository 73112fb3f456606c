// One lane takes the lock for its warp: the warp meets after that and before the lock is left.
// launch: 6 64
__device__ int lock;
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x % 32;
    if (t == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) __nanosleep(20);
        __threadfence();
    }
    __syncwarp();
    ((volatile float*)out)[t] = in[t] + blockIdx.x;
    __syncwarp();
    if (t == 0) {
        __threadfence();
        atomicExch(&lock, 0);
    }
}
