// problem: reduce
// expect: runtime_error trap
// on gpu: runtime_error
// sizes: N=3000
// says: grid.sync() in an ordinary launch
//
// A barrier for the grid in a kernel that was launched by <<<>>>: there is no such grid.

#include <cooperative_groups.h>

__global__ void sum(const float* input, float* output, int N) {
    if (blockIdx.x == 0 && threadIdx.x == 0) output[0] = 0.0f;
    cooperative_groups::this_grid().sync();  // <- here
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) atomicAdd(output, input[i]);
}

extern "C" void solve(const float* input, float* output, int N) { sum<<<(N + 255) / 256, 256>>>(input, output, N); }
