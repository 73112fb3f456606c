// data_race: the next tile's number overwrites this one's before all have read it
// launch: 3 64
__device__ unsigned next;
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ unsigned tile;
    while (true) {
        if (threadIdx.x == 0) tile = atomicAdd(&next, 1);  // found
        __syncthreads();
        unsigned mine = tile;  // found
#ifdef FIXED
        __syncthreads();
#endif
        if (mine * 64 >= 1024) return;
        out[mine * 64 + threadIdx.x] = in[mine * 64 + threadIdx.x] * 2;
    }
}
