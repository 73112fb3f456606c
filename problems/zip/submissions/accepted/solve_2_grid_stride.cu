// expect: accepted
//
// Zip, step 2: as many blocks as fit, and a loop with strides of the whole grid.
//
// Added to step 1: the kernel is right for any number of blocks, so the host launches just as many as the GPU holds at
// once. A thread asks for four pairs before it adds the first, also where it has fewer: eight loads under way instead of
// two, and bytes under way are what fills a memory. __restrict__ promises that the output overlaps neither input; without it the compiler
// could not load a pair before the last sum is stored. Expect a tenth less.

#include <cuda_runtime.h>

#define BLOCK 256
#define PAIRS 4

__global__ void __launch_bounds__(BLOCK)
    add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ output, int N) {
    const int stride = gridDim.x * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += PAIRS * stride) {
        float left[PAIRS], right[PAIRS];
#pragma unroll
        for (int k = 0; k < PAIRS; k++) {
            left[k] = i + k * stride < N ? a[i + k * stride] : 0.0f;
            right[k] = i + k * stride < N ? b[i + k * stride] : 0.0f;
        }
#pragma unroll
        for (int k = 0; k < PAIRS; k++) {
            if (i + k * stride < N) {
                output[i + k * stride] = left[k] + right[k];
            }
        }
    }
}

// As many blocks as the GPU holds at once.
static int blocks_that_fit() {
    int processors = 0;
    int blocks = 0;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, BLOCK, 0);
    return blocks * processors;
}

extern "C" void solve(const float* a, const float* b, float* output, int N) {
    static const int fit = blocks_that_fit();
    const int wanted = (N + BLOCK - 1) / BLOCK;
    add<<<wanted < fit ? wanted : fit, BLOCK>>>(a, b, output, N);
}
