// data_race: of two barriers of the grid in a loop the second is missing
// launch: 3 32 cooperative
#include <cooperative_groups.h>
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int size = gridDim.x * blockDim.x;
    tmp[i] = in[i];
    cooperative_groups::this_grid().sync();
    for (int step = 0; step < 3; ++step) {
        float next = tmp[(i + 1) % size];  // found
#ifdef FIXED
        cooperative_groups::this_grid().sync();
#endif
        tmp[i] = next;  // found
        cooperative_groups::this_grid().sync();
    }
    out[i] = tmp[i];
}
