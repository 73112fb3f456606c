// Lanes that happen to be together count with one atomic.
// launch: 4 128
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int count;
extern "C" __global__ void k(float* out, const float* in, float* tmp, int n) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if ((int)in[i] % 3 == 0) {
        cg::coalesced_group group = cg::coalesced_threads();
        int first = 0;
        if (group.thread_rank() == 0) first = atomicAdd(&count, group.size());
        tmp[group.shfl(first, 0) + group.thread_rank()] = in[i];
    }
}
