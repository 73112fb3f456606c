// data_race: partners of a bitonic sort meet only within their warps
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = in[t * 37 % 128];
    __syncthreads();
    for (int size = 2; size <= 128; size *= 2)
        for (int by = size / 2; by > 0; by /= 2) {
            int other = t ^ by;
            if (other > t) {
                float a = s[t], b = s[other];                                    // found
                if ((a > b) == ((t & size) == 0)) { s[t] = b; s[other] = a; }  // found
            }
#ifdef FIXED
            __syncthreads();
#else
            __syncwarp();
#endif
        }
    out[t] = s[t];
}
