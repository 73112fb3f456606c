// data_race: a look-back over blocks whose sums and status are volatile, with no fence at all
// launch: 12 32
__device__ volatile int status[32];
__device__ volatile float sums[32], whole[32];
extern "C" __global__ void k(float* out, const float* in, int n) {
    int b = blockIdx.x;
    if (threadIdx.x) return;
    float v = in[b], before = 0;
    sums[b] = v;  // found
#ifdef FIXED
    __threadfence();
#endif
    status[b] = 1;
    for (int p = b - 1; p >= 0; --p) {
        int s;
        while ((s = status[p]) == 0) {}
        before += s == 2 ? whole[p] : sums[p];  // found
        if (s == 2) break;
    }
    whole[b] = before + v;  // found
#ifdef FIXED
    __threadfence();
#endif
    status[b] = 2;
    out[b] = before;
}
