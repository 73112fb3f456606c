// Warps of one block meet at a barrier of their own, one of them fences and sets the flag for another block.
// launch: 2 128
__device__ int flag;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        if (t < 64) {
            tmp[t] = in[t];
            asm volatile("bar.sync 1, 64;" ::: "memory");
            if (t == 0) {
                __threadfence();
                atomicExch(&flag, 1);
            }
        }
    } else if (t < 64) {
        if (t == 32) {
            while (atomicAdd(&flag, 0) == 0) {}
            __threadfence();
        }
        asm volatile("bar.sync 2, 64;" ::: "memory");
        out[t] = tmp[63 - t];
    }
}
