// In place: all read, the grid meets, all write, the grid meets.
// launch: 3 96 cooperative
#include <cooperative_groups.h>
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    auto grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x, size = gridDim.x * blockDim.x;
    tmp[i] = in[i];
    grid.sync();
    for (int step = 0; step < 40; ++step) {
        float next = tmp[(i + 17) % size];
        grid.sync();
        tmp[i] = next;
        grid.sync();
    }
}
