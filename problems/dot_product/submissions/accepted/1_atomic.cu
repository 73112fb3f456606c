// expect: accepted
//
// Dot product, step 1: a sum in a register, one atomic operation a thread.
//
// The loop takes strides of the whole grid, so that any N works with the 1024 blocks at most that are launched, and the
// threads of a warp read neighbouring elements. What is left to gain: up to 262,144 atomic operations queue up at one
// address.

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        sum += a[i] * b[i];
    }
    atomicAdd(output, sum);
}
