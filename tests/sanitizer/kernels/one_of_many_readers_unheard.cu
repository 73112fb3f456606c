// data_race: a warp writes after all readers but one of the block have said that they are done
// launch: 1 256
__device__ int done;
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[4];
    if (threadIdx.x < 4) s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp < 7) {
        float4 four = *(float4*)s;  // found
        out[threadIdx.x] = four.x + four.w;
#ifndef FIXED
        if (warp == 2) return;
#endif
        __threadfence_block();
        if (lane == 0) atomicAdd(&done, 1);
    } else {
#ifdef FIXED
        int all = 7;
#else
        int all = 6;
#endif
        if (lane == 0)
            while (atomicAdd(&done, 0) < all) {}
        __syncwarp();
        __threadfence_block();
        if (lane < 4) s[lane] = 9;  // found
    }
}
