// problem: reduce
// expect: accepted
// sizes: N=100000
//
// One block does nearly all of the work while the others wait at the barrier of the grid: it has not left them alone.

#include <cooperative_groups.h>
#include <cuda_runtime.h>

constexpr int BLOCKS = 8;

__global__ void sum(const float* input, float* partial, float* output, int N) {
    auto grid = cooperative_groups::this_grid();
    float own = 0.0f;
    if (blockIdx.x == BLOCKS - 1) {
        for (int i = 0; i < N; ++i) {
            own += input[i];
        }
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = own;
    }
    grid.sync();
    if (grid.thread_rank() == 0) {
        float total = 0.0f;
        for (int block = 0; block < BLOCKS; ++block) {
            total += partial[block];
        }
        *output = total;
    }
}

extern "C" void solve(const float* input, float* output, int N) {
    float* partial = nullptr;
    cudaMalloc(&partial, BLOCKS * sizeof(float));
    void* arguments[] = {&input, &partial, &output, &N};
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(sum), BLOCKS, 32, arguments);
    cudaFree(partial);
}
