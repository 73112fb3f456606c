// data_race: blocks count with an atomic that is one for the threads of a block only
// launch: 4 64
__device__ int count;
extern "C" __global__ void k(float* out, const float* in, int n) {
#ifdef FIXED
    atomicAdd(&count, 1);
#else
    atomicAdd_block(&count, 1);  // found
#endif
}
