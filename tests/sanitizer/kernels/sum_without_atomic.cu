// data_race: blocks add to one sum without an atomic
// launch: 8 32
extern "C" __global__ void k(float* out, const float* in, int n) {
    float sum = in[blockIdx.x * 32 + threadIdx.x];
    for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(~0u, sum, by);
    if (threadIdx.x == 0) {
#ifdef FIXED
        atomicAdd(&out[512], sum);
#else
        out[512] += sum;  // found
#endif
    }
}
