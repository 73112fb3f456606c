// Warps of a block hand values on by flags and fences, through shared and through global memory.
// launch: 3 128
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    __shared__ float value[4];
    __shared__ int flag[4];
    int w = threadIdx.x / 32;
    if (threadIdx.x < 4) flag[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        float before = 0;
        if (w > 0) {
            while (atomicAdd(&flag[w - 1], 0) == 0) {}
            __threadfence();
            before = value[w - 1] + tmp[blockIdx.x * 4 + w - 1];
        }
        value[w] = before + in[w];
        tmp[blockIdx.x * 4 + w] = before;
        __threadfence();
        atomicExch(&flag[w], 1);
    }
}
