// data_race: the second phase reads what other blocks write in the first
// launch: 4 64 cooperative
#include <cooperative_groups.h>
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int size = gridDim.x * blockDim.x;
    tmp[i] = in[i];  // found
#ifdef FIXED
    cooperative_groups::this_grid().sync();
#else
    __syncthreads();
#endif
    out[i] = tmp[(i + 1) % size];  // found
}
