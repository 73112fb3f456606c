// problem: reduce
// expect: wrong_answer wrong_value
// sizes: N=5000
//
// The block's first thread adds, as if the reduction had been the block's; it was that of 32 threads.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void sum(const float* input, float* output, int N) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    float sum = 0.0f;
    for (int i = cg::this_grid().thread_rank(); i < N; i += cg::this_grid().size()) sum += input[i];
    sum = cg::reduce(tile, sum, cg::plus<float>());
    if (block.thread_rank() == 0) atomicAdd(output, sum);
}

extern "C" void solve(const float* input, float* output, int N) {
    cudaMemset(output, 0, sizeof(float));
    sum<<<8, 128>>>(input, output, N);
}
