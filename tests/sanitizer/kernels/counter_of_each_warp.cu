// data_race: each warp clears and counts with a place of its own; without the warp's barrier lanes are in no order
// launch: 1 128
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ int own[4];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 0) own[w] = 0;  // found
#ifdef FIXED
    __syncwarp();
#endif
    atomicAdd(&own[w], 1);  // found
    __syncwarp();
    out[threadIdx.x] = atomicAdd(&own[w], 0);
    __syncthreads();
    if (threadIdx.x < 4) own[threadIdx.x] = 5;
    __syncthreads();
    atomicAdd(&own[lane % 4], 1);
}
