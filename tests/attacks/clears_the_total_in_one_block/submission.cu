// expect: runtime_error data_race
// problem: reduce
// row: 18
// sizes: N=1000
//
// The first thread clears the output and then adds to it as all others do, in blocks that may have been earlier.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < N ? input[i] : 0.0f;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (i == 0) output[0] = 0.0f;
    __syncthreads();
    if (threadIdx.x % 32 == 0) atomicAdd(output, sum);  // <- here
}
