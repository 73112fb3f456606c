// uninitialized_read: shared memory is not kept from one block to the next
// launch: 4 32
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[32];
    int t = threadIdx.x;
#ifndef FIXED
    if (blockIdx.x == 0)
#endif
        s[t] = in[t];
    __syncwarp();
    out[blockIdx.x * 32 + t] = s[31 - t];  // found
}
