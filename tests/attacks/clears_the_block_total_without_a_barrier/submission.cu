// expect: runtime_error data_race
// problem: dot_product
// row: 18
// sizes: N=1000
//
// Thread 0 clears the block's total, which its own warp then adds to first; another warp may have been quicker.

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    __shared__ float total;
    if (threadIdx.x == 0) total = 0.0f;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) sum += a[i] * b[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, sum);  // <- here
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(output, total);
}
