// problem: reduce
// expect: runtime_error
// sizes: N=1000
//
// &total on the host is the address of a shadow, which is no device memory; cudaGetSymbolAddress gives the real one.

__device__ float total;

__global__ void sum(const float* input, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) atomicAdd(&total, input[i]);
}

extern "C" void solve(const float* input, float* output, int N) {
    cudaMemset(&total, 0, sizeof(float));  // <- here
    sum<<<(N + 127) / 128, 128>>>(input, N);
    cudaMemcpyFromSymbol(output, total, sizeof(float), 0, cudaMemcpyDeviceToDevice);
}
