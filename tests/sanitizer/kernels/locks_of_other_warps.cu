// data_race: the warps of a block take turns at several locks, but not the lock of what they change
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ int locks[2];
    __shared__ float sums[2];
    int t = threadIdx.x;
    if (t < 2) locks[t] = sums[t] = 0;
    __syncthreads();
    if (t % 32 == 0) {
        for (int i = 0; i < 4; ++i) {
#ifdef FIXED
            int mine = t / 32 % 2;
#else
            int mine = (t / 32 + i) % 2;
#endif
            int* lock = &locks[t / 32 % 2];
            while (atomicCAS(lock, 0, 1) != 0) {}
            __threadfence_block();
            sums[mine] += in[i];  // found
            __threadfence_block();
            atomicExch(lock, 0);
        }
    }
    __syncthreads();
    if (t < 2) out[t] = sums[t];
}
