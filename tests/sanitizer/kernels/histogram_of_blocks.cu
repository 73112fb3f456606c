// data_race: bins in global memory are counted without atomics
// launch: 4 64
__device__ int bins[16];
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int bin = (int)in[i] % 16;
#ifdef FIXED
    atomicAdd(&bins[bin], 1);
#else
    ++bins[bin];  // found
#endif
}
