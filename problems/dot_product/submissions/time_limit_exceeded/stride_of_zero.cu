// expect: time_limit_exceeded
//
// Dot product whose loop stands still.
//
// gridDim.x / blockDim.x is 0 for every grid of fewer blocks than a block has threads; the product was meant.

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x / blockDim.x) {
        sum += a[i] * b[i];
    }
    atomicAdd(output, sum);
}
