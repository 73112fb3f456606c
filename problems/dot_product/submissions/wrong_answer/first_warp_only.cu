// expect: wrong_answer wrong_value
//
// Dot product whose shuffles add up each warp, and that uses the first warp's sum only.
//
// A shuffle never leaves its warp. Thread 0 has the sum of 32 threads, not that of the block.

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        sum += a[i] * b[i];
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }
    if (threadIdx.x == 0) {
        atomicAdd(output, sum);
    }
}
