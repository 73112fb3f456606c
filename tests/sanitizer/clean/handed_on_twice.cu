// What a warp was given at a barrier of some warps, or by a flag, it hands on by the other, to a third and to blocks.
// launch: 2 128
#include <cuda/barrier>
__device__ int far_flag;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    __shared__ float s[32];
    __shared__ int near_flag;
    __shared__ cuda::barrier<cuda::thread_scope_block> object;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        near_flag = 0;
        init(&object, 64);
    }
    __syncthreads();
    if (blockIdx.x == 1) {
        if (warp != 0) return;
        if (lane == 0) while (atomicAdd(&far_flag, 0) == 0) {}
        __syncwarp();
        __threadfence();
        out[lane] = tmp[31 - lane];
    } else if (warp == 0) {
        s[lane] = tmp[lane] = in[lane];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else if (warp == 1) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        __threadfence();
        if (lane == 0) atomicExch(&far_flag, 1), atomicExch(&near_flag, 1);
    } else if (warp == 2) {
        if (lane == 0) while (atomicAdd(&near_flag, 0) == 0) {}
        __threadfence();
        __syncwarp();
        object.arrive_and_wait();
    } else {
        object.arrive_and_wait();
        out[64 + lane] = s[31 - lane] + tmp[lane];
    }
}
