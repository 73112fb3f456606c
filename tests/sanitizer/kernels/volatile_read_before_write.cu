// data_race: a warp writes plainly what another warp reads as volatile, in one phase of the block
// launch: 1 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[32];
    int t = threadIdx.x % 32;
    if (threadIdx.x >= 32) s[t] = in[t];
    __syncthreads();
    if (threadIdx.x < 32) out[t] = *(volatile float*)&s[t];  // found
#ifdef FIXED
    __syncthreads();
#endif
    if (threadIdx.x >= 32) s[t] = 1;  // found
}
