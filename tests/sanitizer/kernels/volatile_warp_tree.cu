// data_race: volatile is no barrier between the lanes of a warp
// launch: 1 32
#ifdef FIXED
#define NEXT __syncwarp()
#else
#define NEXT
#endif
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float memory[64];
    volatile float* s = memory;
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = in[t + 32];
    __syncwarp();
    float sum = s[t];
    for (int by = 32; by > 0; by /= 2) {
        sum += s[t + by % 64 < 64 ? t + by : t];  // found
        NEXT;
        s[t] = sum;  // found
        NEXT;
    }
    if (t == 0) out[0] = sum;
}
