// expect: time_limit_exceeded | runtime_error deadlock
// problem: map
// row: 24
//
// Half of the block waits for the other half, which has gone, by spinning on a word in shared memory.

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    while (threadIdx.x >= 32 && ready == 0) {
    }
    if (i < N) output[i] = 1.0f / (1.0f + expf(-input[i]));
}
