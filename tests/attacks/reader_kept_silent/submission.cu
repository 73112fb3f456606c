// expect: runtime_error data_race
// problem: reduce
// row: emulator
//
// All warps read a number in shared memory. All but the first say so before the last one writes it again: the race
// checks have to remember every reader.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ float scale;
    __shared__ int ready;
    if (threadIdx.x == 0) scale = 1.0f, ready = 0;
    __syncthreads();
    int warp = threadIdx.x / 32, last = blockDim.x / 32 - 1;
    float own = scale, sum = 0.0f;
    if (warp > 0 && warp < last) {
        __threadfence_block();
        if (threadIdx.x % 32 == 0) atomicAdd(&ready, 1);
    }
    if (warp == last && warp > 1) {
        if (threadIdx.x % 32 == 0)
            while (atomicAdd(&ready, 0) < last - 1) {
            }
        __syncwarp();
        __threadfence_block();
        if (threadIdx.x % 32 == 0) scale = 1.0f + 0.0f * input[0];  // <- here
        __syncwarp();
        own = scale;
    }
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) sum += input[i];
    atomicAdd(output, sum * own);
}
