// data_race: lanes exchange values through global memory without a warp barrier
// launch: 4 32
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int i = blockIdx.x * 32 + threadIdx.x;
    tmp[i] = in[i];  // found
#ifdef FIXED
    __syncwarp();
#endif
    out[i] = tmp[i ^ 1];  // found
}
