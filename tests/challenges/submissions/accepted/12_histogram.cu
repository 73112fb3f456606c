#include <cuda_runtime.h>

__global__ void work(const int* values, int* histogram, int n, int bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&histogram[values[i]], 1);
}

extern "C" void solve(const int* values, int* histogram, int n, int bins) {
    work<<<(n + 255) / 256, 256>>>(values, histogram, n, bins);
}
