// data_race: a maximum is started by a plain store of the block that is first, and read by compare-and-swap loops
// launch: 2 32
__device__ int largest;
extern "C" __global__ void k(float* out, const float* in, int n) {
    int i = 32 * blockIdx.x + threadIdx.x;
#ifndef FIXED
    if (i == 0) largest = -2147483647;  // found
    __syncwarp();
#endif
    int old = atomicAdd(&largest, 0), seen;  // found
    do { seen = old; old = atomicCAS(&largest, seen, max(seen, (int)in[i])); } while (old != seen);  // found
}
