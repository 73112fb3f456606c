// Volatile values on both sides of the grid's barrier, and of barriers of the grid by other threads than wrote them.
// launch: 4 64 cooperative
#include <cooperative_groups.h>
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    auto grid = cooperative_groups::this_grid();
    volatile float* v = tmp;
    int i = blockIdx.x * 64 + threadIdx.x;
    v[i] = in[i];
    grid.sync();
    for (int round = 0; round < 4; ++round) {
        float x = v[(i + 64) % 256];
        grid.sync();
        v[i] = x + 1;
        grid.sync();
    }
    out[i] = v[255 - i];
}
