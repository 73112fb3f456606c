// remark: lanes beyond the end leave, and the others take their values all the same
extern "C" __global__ void k(float* out, const float* in, int n) {
#ifdef FIXED
    float value = threadIdx.x < 20 ? in[threadIdx.x] : 0.0f;
#else
    float value = in[threadIdx.x];
    if (threadIdx.x >= 20) return;
#endif
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_down_sync(0xffffffff, value, distance);  // found
    }
    if (threadIdx.x == 0) out[0] = value;
}
