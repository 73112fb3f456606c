// A lock that is looked at by volatile reads until it seems free, and taken then; two locks, each with its own sum.
// launch: 8 64
__device__ int locks[2];
__device__ float sums[2];
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x % 32) return;
    for (int i = 0; i < 4; ++i) {
        int which = (blockIdx.x + i) % 2;
        do
            while (((volatile int*)locks)[which]) {}
        while (atomicCAS(&locks[which], 0, 1) != 0);
        __threadfence();
        sums[which] += in[i];
        __threadfence();
        ((volatile int*)locks)[which] = 0;
    }
}
