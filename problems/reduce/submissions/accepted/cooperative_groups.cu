// expect: accepted
//
// Reduction by cooperative groups instead of hand-written shuffles.
//
// Another way to write step 3: the groups of threads get names and types, and cg::reduce picks the best instructions
// for the group at hand. It is code that says what it means and cannot get a mask or a lane number wrong. One atomic
// operation a warp keeps the kernel short, and costs time: step 3 has one a block of 16 warps, and they queue up at one
// address.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void reduction_kernel(const float* input, float* output, int N) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);

    float sum = 0.0f;
    for (int i = grid.thread_rank(); i < N; i += grid.size()) {
        sum += input[i];
    }

    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (warp.thread_rank() == 0) {
        atomicAdd(output, sum);
    }
}
