// expect: runtime_error out_of_bounds
//
// Dot product whose loop runs one element too far.
//
// The student wrote <= for <. The last elements are a[N - 1] and b[N - 1].

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= N; i += gridDim.x * blockDim.x) {
        sum += a[i] * b[i];  // <- here
    }
    atomicAdd(output, sum);
}
