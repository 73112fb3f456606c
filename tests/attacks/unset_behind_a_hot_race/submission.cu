// expect: runtime_error uninitialized_read
// problem: reduce
// row: emulator
//
// Writes the same value to one place all the time, which is no fault by itself, and then adds shared memory that nobody
// has written, times 0.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ float unset[32];
    __shared__ int hot;
    for (int round = 0; round < 500; ++round) hot = 1;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) sum += input[i];
    atomicAdd(output, sum + 0.0f * unset[threadIdx.x % 32]);  // <- here
}
