// expect: runtime_error data_race
// problem: reduce
// row: emulator
//
// Adds to the output under a lock that each block has for itself: the locks lie at the same place of different arrays.

__device__ int even, odd;

__global__ void reduction_kernel(const float* input, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) sum += input[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32) return;
    int* lock = (blockIdx.x + threadIdx.x / 32) % 2 ? &odd : &even;
    while (atomicExch(lock, 1)) {
    }
    __threadfence();
    output[0] += sum;  // <- here
    __threadfence();
    atomicExch(lock, 0);
}
