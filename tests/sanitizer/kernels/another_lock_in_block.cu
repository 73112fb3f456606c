// data_race: the warps of a block take different locks for one sum
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ int locks[8];
    __shared__ float sum;
    int t = threadIdx.x;
    if (t < 8) locks[t] = 0;
    if (t == 0) sum = 0;
    __syncthreads();
    if (t % 32 == 0) {
#ifdef FIXED
        int* lock = &locks[0];
#else
        int* lock = &locks[t / 64 * 4];
#endif
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence_block();
        sum += in[t];  // found
        __threadfence_block();
        atomicExch(lock, 0);
    }
    __syncthreads();
    if (t == 0) out[0] = sum;
}
