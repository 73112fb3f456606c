// expect: runtime_error data_race
// problem: reduce
// sizes: N=700
// row: emulator
//
// Leaves out a barrier, and has its warps exchange values 70,000 times there, until the clock of the race checks has no
// room left in a record.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ float sums[1024];
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) sum += input[i];
    sums[threadIdx.x] = sum;
    int turns = 0;
    if (blockIdx.x == 0 && threadIdx.x < 32)
        for (int round = 0; round < 70000; ++round) turns += __shfl_xor_sync(0xffffffffu, turns, 1);
    if (threadIdx.x == 0) {
        for (int other = 1; other < blockDim.x; ++other) sum += sums[other];  // <- here
        atomicAdd(output, sum + turns);
    }
}
