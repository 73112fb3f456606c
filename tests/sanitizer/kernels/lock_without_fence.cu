// data_race: a lock that does not publish what was done under it
// launch: 1 96
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float sum;
    __shared__ int lock;
    int t = threadIdx.x;
    if (t == 0) lock = 0, sum = 0;
    __syncthreads();
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
#ifdef FIXED
            __threadfence_block();
#endif
            sum += in[t];  // found
#ifdef FIXED
            __threadfence_block();
#endif
            atomicExch(&lock, 0);
            done = true;
        }
    }
    __syncthreads();
    if (t == 0) out[0] = sum;
}
