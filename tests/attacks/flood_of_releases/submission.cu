// expect: runtime_error data_race
// problem: reduce
// row: emulator
//
// Adds to the output without an atomic, and then makes thousands of releases that nobody waits for, so that the race
// checks forget what came before them.

__device__ unsigned done;

__global__ void reduction_kernel(const float* input, float* output, int N) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
        if (threadIdx.x == 0) output[0] += input[i]; else atomicAdd(output, input[i]);
    for (int round = 0; round < 200; ++round) {
        __threadfence();
        if (threadIdx.x % 32 == 0) atomicAdd(&done, 1);
    }
}
