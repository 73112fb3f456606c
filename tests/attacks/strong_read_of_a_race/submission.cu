// expect: runtime_error data_race
// problem: reduce
// row: emulator
//
// Adds to the output by a volatile read and a plain write: a strong read is the first access each time.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) sum += input[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) output[0] = *(volatile float*)output + sum;
}
