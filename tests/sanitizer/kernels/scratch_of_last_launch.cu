// uninitialized_read: the accumulator in scratch memory is never set to zero
// launch: 2 64
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
#ifdef FIXED
    tmp[i] = 0;
#endif
    for (int j = 0; j < 3; ++j) tmp[i] += in[i + j];  // found
    out[i] = tmp[i];
}
