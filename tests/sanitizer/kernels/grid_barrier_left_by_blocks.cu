// deadlock: some blocks come to the barrier of the grid less often than others
// launch: 4 64 cooperative
#include <cooperative_groups.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
#ifdef FIXED
    int rounds = 3;
#else
    int rounds = 3 - blockIdx.x % 2;
#endif
    for (int i = 0; i < rounds; ++i) {
        out[64 * blockIdx.x + threadIdx.x] = i;
        cooperative_groups::this_grid().sync();  // found
    }
}
