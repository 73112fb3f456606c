// uninitialized_read: the last block adds up what others have not written yet; volatile makes nobody wait
// launch: 16 128

__device__ int arrived;

extern "C" __global__ void k(float* out, const float* in, volatile float* tmp, int n) {
    if (threadIdx.x == 0) {
        tmp[blockIdx.x] = in[blockIdx.x];
        __threadfence();
#ifdef FIXED
        atomicAdd(&arrived, 1);
#endif
        if (blockIdx.x == gridDim.x - 1) {
#ifdef FIXED
            while (atomicAdd(&arrived, 0) < gridDim.x) {
            }
            __threadfence();
#endif
            float sum = 0.0f;
            for (int i = 0; i < gridDim.x; ++i) {
                sum += tmp[i];  // found
            }
            out[0] = sum;
        }
    }
}
