// data_race: warps protect a sum by different locks in shared memory, and each has left its own lock before
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ int locks[2];
    __shared__ float sums[3];
    int t = threadIdx.x;
    if (t < 3) sums[t] = 0;
    if (t < 2) locks[t] = 0;
    __syncthreads();
    if (t % 32 == 0) {
        int w = t / 32;
#ifdef FIXED
        int* lock = &locks[0];
#else
        int* lock = &locks[w];
#endif
        for (int i = 0; i < 24; ++i) {
            while (atomicCAS(lock, 0, 1) != 0) {}
            __threadfence_block();
            sums[i == 12 + w ? 2 : w] += in[i];  // found
            __threadfence_block();
            atomicExch(lock, 0);
        }
    }
    __syncthreads();
    if (t == 0) out[0] = sums[2];
}
