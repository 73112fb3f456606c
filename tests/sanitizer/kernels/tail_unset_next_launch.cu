// uninitialized_read: the first launch leaves the tail unwritten that the second reads
// launch: 1 60, 1 64 second
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int t = threadIdx.x;
    tmp[t] = in[t];
#ifdef FIXED
    if (t < 4) tmp[60 + t] = 0;
#endif
}
extern "C" __global__ void second(float* out, const float* in, float* tmp, int n) {
    out[threadIdx.x] = tmp[threadIdx.x];  // found
}
