// remark: threads of all blocks write the same value
// launch: 4 64
__device__ int found;
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
#ifdef FIXED
    if (i == 200) found = 1;
#else
    if (in[i] > 100) found = 1;  // found
#endif
}
