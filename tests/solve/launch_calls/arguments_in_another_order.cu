// problem: zip
// expect: runtime_error uninitialized_read
// sizes: N=1000
//
// cudaLaunchKernel takes bytes and knows no types: the output stands where an input belongs.

__global__ void add(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = a[i] + b[i];  // <- here
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    void* arguments[] = {&a, &output, &b, &N};
    cudaLaunchKernel((void*)add, dim3((N + 127) / 128), dim3(128), arguments, 0, nullptr);
}
