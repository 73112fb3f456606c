// problem: reduce
// expect: accepted
// sizes: N=1 N=5000
//
// Groups of 32 threads of a block, with a reduction of their own.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void sum(const float* input, float* output, int N) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    float sum = 0.0f;
    for (int i = cg::this_grid().thread_rank(); i < N; i += cg::this_grid().size()) sum += input[i];
    sum = cg::reduce(tile, sum, cg::plus<float>());
    if (tile.thread_rank() == 0) atomicAdd(output, sum);
}

extern "C" void solve(const float* input, float* output, int N) {
    cudaMemset(output, 0, sizeof(float));
    sum<<<8, 128>>>(input, output, N);
}
