// data_race: the lanes that took a branch exchange values, and do not meet
// launch: 2 64
#include <cooperative_groups.h>
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t % 3 == 1) {
        auto group = cooperative_groups::coalesced_threads();
        int begin = t / 32 * 32, rank = group.thread_rank();
        s[begin + rank] = in[t];
#ifdef FIXED
        group.sync();
#endif
        out[blockIdx.x * 64 + t] = s[begin + group.size() - 1 - rank];  // found
    }
}
