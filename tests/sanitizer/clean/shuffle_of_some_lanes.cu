// The lanes of a mask take values of each other, or of nobody: those beyond it keep their own.
// launch: 1 32
extern "C" __global__ void k(float* out, const float* in, int n) {
    unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < 16);
    float value = in[threadIdx.x];
    if (threadIdx.x < 16) {
        for (int distance = 8; distance > 0; distance /= 2) value += __shfl_down_sync(mask, value, distance, 16);
    }
    out[threadIdx.x] = value;
}
