// data_race: a block hands its sum to the next one without a fence
// launch: 6 32
__device__ volatile int done[8];
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int b = blockIdx.x;
    if (threadIdx.x != 0) return;
    float before = 0;
    if (b > 0) {
        while (done[b - 1] == 0) {}
#ifdef FIXED
        __threadfence();
#endif
        before = tmp[b - 1];  // found
    }
    tmp[b] = before + in[b];  // found
#ifdef FIXED
    __threadfence();
#endif
    done[b] = 1;
    out[b] = tmp[b];
}
