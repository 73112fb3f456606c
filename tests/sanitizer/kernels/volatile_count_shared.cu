// data_race: threads of a block count with a volatile variable in shared memory
// launch: 1 128
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ volatile int count;
    int t = threadIdx.x;
    if (t == 0) count = 0;
    __syncthreads();
#ifdef FIXED
    atomicAdd((int*)&count, 1);
#else
    if (t % 32 == 0) count += 2;  // found
#endif
    __syncthreads();
    out[t] = count;
}
