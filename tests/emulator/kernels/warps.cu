// Operations between the lanes of a warp, whole and in part, and cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void shuffles(const int* x, const double* d, int* out, double* wide) {
    int i = threadIdx.x, lane = i & 31, v = x[i];
    int* o = out + 8 * i;
    o[0] = __shfl_sync(~0u, v, 5);
    o[1] = __shfl_sync(~0u, v, v & 31);
    o[2] = __shfl_up_sync(~0u, v, 3);
    o[3] = __shfl_down_sync(~0u, v, 7);
    o[4] = __shfl_xor_sync(~0u, v, 9);
    o[5] = __shfl_sync(~0u, v, lane + 3, 8);
    o[6] = __shfl_down_sync(~0u, v, 2, 4);
    o[7] = __shfl_up_sync(~0u, v, 1, 16) + __shfl_xor_sync(~0u, v, 3, 8);
    wide[i] = __shfl_xor_sync(~0u, d[i], 16);
}

extern "C" __global__ void votes(const int* x, int* out) {
    int i = threadIdx.x, v = x[i];
    int* o = out + 8 * i;
    o[0] = __any_sync(~0u, v > 90);
    o[1] = __all_sync(~0u, v < 90);
    o[2] = __ballot_sync(~0u, v & 1);
    o[3] = __match_any_sync(~0u, v % 5);
    int same;
    o[4] = __match_all_sync(~0u, i / 32, &same) + same;
    o[5] = __uni_sync(~0u, v % 2);
    o[6] = __match_any_sync(~0u, (long long)(v % 3) << 40);
    o[7] = __match_all_sync(~0u, v, &same) + same;
}

extern "C" __global__ void reductions(const int* x, int* out) {
    int i = threadIdx.x, v = x[i];
    int* o = out + 8 * i;
    o[0] = __reduce_add_sync(~0u, v);
    o[1] = __reduce_min_sync(~0u, v);
    o[2] = __reduce_max_sync(~0u, v);
    o[3] = __reduce_and_sync(~0u, (unsigned)v);
    o[4] = __reduce_or_sync(~0u, (unsigned)v);
    o[5] = __reduce_xor_sync(~0u, (unsigned)v);
    o[6] = __reduce_min_sync(~0u, (unsigned)v);
    o[7] = __reduce_max_sync(~0u, (unsigned)v);
}

// Each half of the warp runs its own operations under its own mask, at its own time.
extern "C" __global__ void halves_apart(const int* x, int* out) {
    int i = threadIdx.x, v = x[i];
    unsigned mine = i & 1 ? 0xaaaaaaaau : 0x55555555u;
    int result;
    if (i & 1) {
        for (int k = 0; k < 3; ++k) v += __shfl_xor_sync(mine, v, 2);
        result = __ballot_sync(mine, v & 4) + __popc(__match_any_sync(mine, v & 3));
    } else {
        v = __reduce_max_sync(mine, v);
        __syncwarp(mine);
        result = __shfl_sync(mine, v + i, 6) + __any_sync(mine, i == 4);
    }
    out[i] = result;
}

extern "C" __global__ void exchange(int* data) {
    __shared__ int box[64];
    int i = threadIdx.x, v = data[i];
    for (int step = 1; step < 32; step *= 2) {
        box[i] = v;
        __syncwarp();
        v += box[(i & ~31) + ((i + step) & 31)];
        __syncwarp();
    }
    data[i] = v;
}

extern "C" __global__ void partitions(const int* x, int* out) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto quad = cg::tiled_partition<4>(warp);
    int i = block.thread_rank(), v = x[i];
    int* o = out + 8 * i;
    o[0] = cg::reduce(warp, v, cg::plus<int>());
    o[1] = cg::reduce(quad, v, cg::greater<int>());
    o[2] = quad.shfl(v, 0) + 100 * quad.thread_rank() + 1000 * quad.meta_group_rank();
    o[3] = cg::inclusive_scan(warp, v);
    o[4] = cg::exclusive_scan(quad, v);
    auto label = cg::labeled_partition(warp, v % 3);
    o[5] = label.size() * 100 + label.thread_rank();
    o[6] = warp.any(v == 3) + 2 * warp.ballot(v > 50);
    block.sync();
    o[7] = quad.match_any(v & 1);
}

// A coalesced group may hold any lanes of the branch, so only the total is compared.
extern "C" __global__ void aggregated_counter(const int* x, int* count) {
    int v = x[blockIdx.x * blockDim.x + threadIdx.x];
    if (v % 3 == 0) {
        auto active = cg::coalesced_threads();
        int base;
        if (active.thread_rank() == 0) base = atomicAdd(count, (int)active.size());
        base = active.shfl(base, 0);
        atomicXor(count + 1, base + (int)active.thread_rank());
        atomicAdd(count + 2, 1);
    }
}

extern "C" __global__ void warp_sum(const float* x, float* out, int n) {
    __shared__ float part[32];
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < (blockDim.x + 31) / 32 ? part[threadIdx.x] : 0.f;
        for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(~0u, v, o);
        if (threadIdx.x == 0) atomicAdd(out, v);
    }
}
