// data_race: threads of all blocks take a slot by a load and a store
// launch: 4 32
__device__ int tail;
extern "C" __global__ void k(float* out, const float* in, int n) {
    if (threadIdx.x == 0) {
#ifdef FIXED
        int slot = atomicAdd(&tail, 1);
#else
        int slot = tail;  // found
        tail = slot + 1;  // found
#endif
        out[slot] = in[blockIdx.x];
    }
}
