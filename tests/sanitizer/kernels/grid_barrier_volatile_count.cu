// data_race: blocks count themselves in by a volatile variable
// launch: 4 64
__device__ volatile int arrived;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    tmp[i] = in[i];
    __syncthreads();
    if (t == 0) {
        __threadfence();
#ifdef FIXED
        atomicAdd((int*)&arrived, 1);
        while (arrived < gridDim.x) {}
#else
        arrived++;  // found
        // Where an update is lost, nobody would ever go on.
        for (int looks = 0; arrived < gridDim.x && looks < 100; looks++) {}
#endif
        __threadfence();
    }
    __syncthreads();
    out[i] = tmp[(i + 40) % 256];
}
