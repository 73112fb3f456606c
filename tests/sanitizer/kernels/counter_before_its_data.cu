// uninitialized_read: each block counts itself in before it writes its share, and the last one adds them up
// launch: 8 32
__device__ unsigned int count;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    volatile float* shares = tmp;
    if (threadIdx.x != 0) return;
#ifdef FIXED
    shares[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    unsigned int number = atomicAdd(&count, 1);
#else
    unsigned int number = atomicAdd(&count, 1);
    shares[blockIdx.x] = in[blockIdx.x];
#endif
    __threadfence();
    if (number < gridDim.x - 1) return;
    float sum = 0;
    for (int i = 0; i < gridDim.x; i++) sum += shares[i];  // found
    out[0] = sum;
}
