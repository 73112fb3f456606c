// data_race: warps of a block take turns that are counted up
// launch: 1 128
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ volatile int turn;
    __shared__ float sum;
    if (threadIdx.x == 0) { turn = 0; sum = 0; }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
#ifdef FIXED
        while (turn != threadIdx.x / 32) {}
#endif
        __threadfence_block();
        sum += in[threadIdx.x];  // found
        __threadfence_block();
        turn = turn + 1;  // found
    }
    __syncthreads();
    out[threadIdx.x] = sum;
}
