// expect: accepted
__global__ void example_kernel(int N, float a, const float* x, const float* y, float* result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        result[i] = a * x[i] + y[i];
    }
}
