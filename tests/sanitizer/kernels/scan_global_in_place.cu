// data_race: a scan in global memory reads what other threads of the block overwrite in the same round
// launch: 1 128
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    tmp[t] = in[t];
    __syncthreads();
    for (int by = 1; by < 128; by *= 2) {
        float left = t >= by ? tmp[t - by] : 0;  // found
#ifdef FIXED
        __syncthreads();
#endif
        tmp[t] += left;  // found
        __syncthreads();
    }
    out[t] = tmp[t];
}
