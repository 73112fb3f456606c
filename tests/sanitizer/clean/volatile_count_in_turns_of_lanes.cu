// Lanes count one after the other, with __syncwarp between them; warps by barriers.
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ volatile int count;
    int t = threadIdx.x;
    if (t == 0) count = 0;
    __syncthreads();
    for (int w = 0; w < 2; w++) {
        if (t / 32 == w)
            for (int l = 0; l < 32; l++) {
                if (t % 32 == l) count = count + 1;
                __syncwarp();
            }
        __syncthreads();
    }
    out[t] = count;
}
