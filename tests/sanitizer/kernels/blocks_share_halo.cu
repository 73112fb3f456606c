// data_race: each block smooths its part in place and reads what its neighbours overwrite
// launch: 4 64
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    out[i] = in[i] + in[i + 1];
#else
    tmp[i] = in[i];
    out[i] = tmp[i] + (i > 0 ? tmp[i - 1] : 0);  // found
#endif
}
