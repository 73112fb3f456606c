// data_race: blocks write rows that overlap by one element
// launch: 4 33
extern "C" __global__ void k(float* out, const float* in, int n) {
#ifdef FIXED
    int i = blockIdx.x * 33 + threadIdx.x;
#else
    int i = blockIdx.x * 32 + threadIdx.x;
#endif
    out[i] = in[i] + blockIdx.x;  // found
}
