// expect: accepted
// problem: map
// row: 11
//
// Fetches its inputs into the L2 ahead of time, and right results come out: a legal kernel. Rotating buffers larger
// than the L2 and data that are refilled before each replay leave nothing of it for the next launch.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(input + i));
    output[i] = 1.0f / (1.0f + expf(-input[i]));
}
