// A warp feeds another through volatile shared memory, with __threadfence_block() before each flag.
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ volatile int full, empty;
    __shared__ volatile float box[32];
    int t = threadIdx.x % 32;
    if (threadIdx.x == 0) full = empty = 0;
    __syncthreads();
    for (int i = 1; i <= 6; ++i)
        if (threadIdx.x < 32) {
            while (empty < i - 1) {}
            __syncwarp();
            box[t] = in[i * 32 + t];
            __threadfence_block();
            __syncwarp();
            if (t == 0) full = i;
        } else {
            while (full < i) {}
            __syncwarp();
            out[i * 32 + t] = box[31 - t];
            __threadfence_block();
            __syncwarp();
            if (t == 0) empty = i;
        }
}
