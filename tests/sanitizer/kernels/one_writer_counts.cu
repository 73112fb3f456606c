// data_race: a head that one thread moves and all look at; faulty: every warp moves it
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ volatile int head;
    if (threadIdx.x == 0) head = 0;
    __syncthreads();
#ifdef FIXED
    if (threadIdx.x == 0)
#else
    if (threadIdx.x % 32 == 0)
#endif
        for (int i = 0; i < 10; i++) head = head + 1;  // found
    if (threadIdx.x >= 32) out[threadIdx.x] = head;
}
