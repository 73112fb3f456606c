// uninitialized_read: padding needs no value, a member does
// launch: 1 64
struct Item {
    double key;
    int value;
};
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ Item s[64];
    int t = threadIdx.x;
    s[t].key = in[t];
#ifdef FIXED
    s[t].value = t;
#else
    if (t < 32) s[t].value = t;
#endif
    __syncthreads();
    for (int by = 32; by > 0; by /= 2) {
        if (t < by && s[t + by].key > s[t].key) s[t] = s[t + by];  // found
        __syncthreads();
    }
    out[t] = s[0].value;  // found
}
