// problem: reduce
// expect: accepted
// sizes: N=1 N=100000
//
// The grid follows from the number of multiprocessors.

#include <cstdio>

__global__ void sum(const float* input, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) sum += input[i];
    for (int delta = warpSize / 2; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (threadIdx.x % warpSize == 0) atomicAdd(output, sum);
}

extern "C" void solve(const float* input, float* output, int N) {
    int count = 0;
    cudaGetDeviceCount(&count);
    cudaSetDevice(0);
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    if (count != 1 || properties.warpSize != 32 || properties.maxThreadsPerBlock != 1024) return;
    printf("%s\n", properties.name);
    cudaMemset(output, 0, sizeof(float));
    sum<<<2 * properties.multiProcessorCount, 128>>>(input, output, N);
}
