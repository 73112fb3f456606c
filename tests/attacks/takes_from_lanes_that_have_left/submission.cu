// expect: runtime_error barrier_divergence
// problem: reduce
// row: 17
// sizes: N=33 N=50
//
// Threads beyond the end leave the kernel, and those that stay add up their values too: what they hold is undefined, and
// often happens to be zero.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float sum = input[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);  // <- here
    if (threadIdx.x % 32 == 0) atomicAdd(output, sum);
}
