// data_race: memcpy_async of a group returns at once
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[128];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in, sizeof(float) * 128);
#ifdef FIXED
    cg::wait(block);
#else
    block.sync();
#endif
    out[threadIdx.x] = s[127 - threadIdx.x];  // found
}
