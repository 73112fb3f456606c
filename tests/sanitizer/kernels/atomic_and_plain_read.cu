// data_race: some threads count with atomics, another reads the count plainly
// launch: 2 32
__device__ int total;
extern "C" __global__ void k(float* out, const float* in, int n) {
    atomicAdd(&total, 1);  // found
    if (threadIdx.x == 5) {
#ifdef FIXED
        out[blockIdx.x] = atomicAdd(&total, 0);
#else
        out[blockIdx.x] = total;  // found
#endif
    }
}
