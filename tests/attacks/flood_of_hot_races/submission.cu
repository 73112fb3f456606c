// expect: runtime_error data_race
// problem: reduce
// row: emulator
//
// Races at one place for thousands of times, all with the same value, so that nobody looks any more where it loses
// updates of the output.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ int hot;
    for (int round = 0; round < 500; ++round) hot = 1;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) sum += input[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) output[0] += sum * hot;  // <- here
}
