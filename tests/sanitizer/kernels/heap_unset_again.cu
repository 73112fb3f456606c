// uninitialized_read: what was written before a free() is not there after the next malloc()
// launch: 2 64
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int round = 0; round < 300; ++round) {
        float* last = new float[50];
#ifdef FIXED
        last[7] = in[i];
#else
        if (round < 250) last[7] = in[i];
#endif
        sum += last[7];  // found
        delete[] last;
    }
    out[i] = sum;
}
