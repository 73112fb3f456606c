// problem: reduce
// expect: wrong_answer wrong_value
// sizes: N=5000
//
// The block's first thread adds its sum, as if it were the block's; it is that of a group of 32 threads.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void sum(const float* input, float* output, int N) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    float sum = 0.0f;
    for (int i = cg::this_grid().thread_rank(); i < N; i += cg::this_grid().size()) sum += input[i];
    for (int delta = tile.size() / 2; delta > 0; delta /= 2) sum += tile.shfl_down(sum, delta);
    if (block.thread_rank() == 0) atomicAdd(output, sum);
}

extern "C" void solve(const float* input, float* output, int N) {
    cudaMemset(output, 0, sizeof(float));
    sum<<<8, 128>>>(input, output, N);
}
