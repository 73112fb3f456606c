// problem: zip
// expect: accepted
// sizes: N=2 N=1000
//
// The same launch by cudaLaunchKernel, by cudaLaunchKernelEx and by a pointer to the kernel.

__global__ void add(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    int third = N / 3, left = N - 2 * third;
    dim3 grid((left + 127) / 128), block(128);

    void* arguments[] = {&a, &b, &output, &third};
    cudaLaunchKernel((void*)add, grid, block, arguments, 0, nullptr);

    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    cudaLaunchKernelEx(&config, add, a + third, b + third, output + third, third);

    void (*kernel)(const float*, const float*, float*, int) = add;
    kernel<<<grid, block>>>(a + 2 * third, b + 2 * third, output + 2 * third, left);
}
