// data_race: tiles of eight lanes meet by themselves, and read from each other
// launch: 1 64
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    auto block = cg::this_thread_block();
#ifdef FIXED
    auto tile = cg::tiled_partition<16>(block);
#else
    auto tile = cg::tiled_partition<8>(block);
#endif
    s[t] = in[t];
    tile.sync();
    out[t] = s[t ^ 8];  // found
}
