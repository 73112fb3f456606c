// data_race: a thread releases what others of its block wrote without a barrier
// launch: 2 64
__device__ int flag;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        tmp[t] = in[t];  // found
#ifdef FIXED
        __syncthreads();
#endif
        if (t == 0) asm volatile("st.release.gpu.b32 [%0], 1;" :: "l"(&flag) : "memory");
    } else {
        int seen;
        do asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(seen) : "l"(&flag) : "memory"); while (!seen);
        __syncwarp();
        out[t] = tmp[63 - t];  // found
    }
}
