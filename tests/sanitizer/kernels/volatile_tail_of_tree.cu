// data_race: the last warp of a reduction relies on volatile and lockstep
// launch: 1 128
#ifdef FIXED
#define NEXT __syncwarp()
#else
#define NEXT
#endif
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float memory[128];
    int t = threadIdx.x;
    memory[t] = in[t];
    __syncthreads();
    if (t < 64) memory[t] += memory[t + 64];
    __syncthreads();
    if (t < 32) {
        volatile float* s = memory;
        float sum = s[t];
        for (int by = 32; by > 0; by /= 2) {
            sum += s[t + by];  // found
            NEXT;
            s[t] = sum;  // found
            NEXT;
        }
        if (t == 0) out[0] = sum;
    }
}
