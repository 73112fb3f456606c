// expect: changed_input
#include <cuda_runtime.h>

__global__ void work(const short* a, const unsigned short* b, int* difference, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        difference[i] = a[i] - b[i];
        const_cast<short*>(a)[i] = 0;
    }
}

extern "C" void solve(const short* a, const unsigned short* b, int* difference, int n) {
    work<<<(n + 255) / 256, 256>>>(a, b, difference, n);
}
