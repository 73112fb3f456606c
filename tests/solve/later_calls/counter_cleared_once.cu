// problem: zip
// expect: wrong_answer
// sizes: N=1 N=1000
//
// Blocks take tiles from a counter, which only the first call finds at 0.
#include <cuda_runtime.h>

__device__ unsigned int taken;

__global__ void add(const float* a, const float* b, float* output, int n) {
    __shared__ unsigned int tile;
    for (;;) {
        if (threadIdx.x == 0) tile = atomicAdd(&taken, 1);
        __syncthreads();
        const unsigned int begin = tile * blockDim.x, i = begin + threadIdx.x;
        __syncthreads();
        if (begin >= n) return;
        if (i < n) output[i] = a[i] + b[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    add<<<2, 128>>>(a, b, output, N);
}
