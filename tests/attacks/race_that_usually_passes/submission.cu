// expect: runtime_error data_race
// problem: reduce
// row: 18
//
// Adds the sums of the warps in shared memory without atomics or barriers: right when warps happen to take turns.
// The emulator runs the warps one after the other in this kernel, so that the race is always won there, and is seen all
// the same; on a GPU the warps run at the same time and the sums of most are lost.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ float sum;
    float own = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) own += input[i];
    for (int step = 16; step > 0; step /= 2) own += __shfl_down_sync(0xffffffffu, own, step);
    if (threadIdx.x == 0) sum = 0.0f;
    if (threadIdx.x % 32 == 0) sum += own;
    if (threadIdx.x == blockDim.x - 1) atomicAdd(output, sum);
}
