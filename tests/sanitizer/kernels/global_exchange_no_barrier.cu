// data_race: threads of a block exchange values through global memory without a barrier
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    tmp[t] = in[t];  // found
#ifdef FIXED
    __syncthreads();
#endif
    out[t] = tmp[127 - t];  // found
}
