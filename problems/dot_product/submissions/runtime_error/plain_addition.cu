// expect: runtime_error data_race
//
// Dot product whose threads all add to output[0] without an atomic operation.
//
// += reads, adds and writes in three steps. Threads that read the same old value overwrite each other's sums, and
// most of them are lost.

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        sum += a[i] * b[i];
    }
    output[0] += sum;  // <- here
}
