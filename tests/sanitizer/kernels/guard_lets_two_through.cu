// data_race: the guard that should choose one thread lets one of each warp through
// launch: 1 128
extern "C" __global__ void k(float* out, const float* in, int n) {
    float sum = in[threadIdx.x];
    for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(~0u, sum, by);
#ifdef FIXED
    if (threadIdx.x % 32 == 0) atomicAdd(&out[900], sum);
#else
    if (threadIdx.x % 32 == 0) out[900] = sum;  // found
#endif
}
