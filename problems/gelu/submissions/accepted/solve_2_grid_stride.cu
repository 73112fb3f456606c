// expect: accepted
//
// GELU, step 2: as many blocks as fit, and a loop with strides of the whole grid.
//
// Added to step 1: the kernel is right for any number of blocks, so the host launches just as many as the GPU holds at
// once. A thread asks for four elements before it computes the first: bytes under way are what fills a memory. The
// polynomial is written as x * (a + b * x * x), which is one multiplication less and lets the compiler fuse one with the
// addition. Expect a tenth less time.

#include <cuda_runtime.h>

#define BLOCK 256
#define AHEAD 4

__device__ __forceinline__ float gelu(float x) {
    float twice_z = x * (1.5957691216f + 0.0713548163f * x * x);
    return x / (1.0f + expf(-twice_z));
}

__global__ void __launch_bounds__(BLOCK) gelu_strides(const float* __restrict__ input, float* __restrict__ output, int N) {
    const int stride = gridDim.x * BLOCK;
    int i = blockIdx.x * BLOCK + threadIdx.x;
    for (; i < N - (AHEAD - 1) * stride; i += AHEAD * stride) {
        float x[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            x[k] = input[i + k * stride];
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            output[i + k * stride] = gelu(x[k]);
        }
    }
    for (; i < N; i += stride) {
        output[i] = gelu(input[i]);
    }
}

// As many blocks as the GPU holds at once.
static int blocks_that_fit() {
    int processors = 0;
    int blocks = 0;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, gelu_strides, BLOCK, 0);
    return blocks * processors;
}

extern "C" void solve(const float* input, float* output, int N) {
    static const int fit = blocks_that_fit();
    const int wanted = (N + BLOCK - 1) / BLOCK;
    gelu_strides<<<wanted < fit ? wanted : fit, BLOCK>>>(input, output, N);
}
