// data_race: a block writes after all blocks that read but one have said that they are done
// launch: 9 64
__device__ int done;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    if (threadIdx.x < 32 && blockIdx.x == 8) {
        if (threadIdx.x == 0)
#ifdef FIXED
            while (atomicAdd(&done, 0) < 8) {}
#else
            while (atomicAdd(&done, 0) < 7) {}
#endif
        __syncwarp();
        __threadfence();
        out[threadIdx.x] = 1;  // found
    } else if (blockIdx.x < 8) {
        tmp[64 * blockIdx.x + threadIdx.x] = 2 * atomicAdd(&out[600], 0.0f) + *(volatile float*)&out[threadIdx.x % 32];  // found
        __syncthreads();
#ifndef FIXED
        if (blockIdx.x == 3) return;
#endif
        __threadfence();
        if (threadIdx.x == 0) atomicAdd(&done, 1);
    }
}
