// data_race: 64-bit words by a block, their upper halves by another
// launch: 2 32
__device__ long long words[32];
extern "C" __global__ void k(float* out, const float* in, int n) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) words[t] = t;  // found
#ifdef FIXED
    else out[t] = 1;
#else
    else ((int*)words)[2 * t + 1] = -1;  // found
#endif
}
