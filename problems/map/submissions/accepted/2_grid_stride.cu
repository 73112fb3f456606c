// expect: accepted
//
// Map, step 2: a loop with strides of the whole grid.
//
// Added to step 1: the kernel no longer depends on there being a thread for each element, so it can be launched
// with just as many blocks as fill the GPU, and each thread does its index arithmetic once for many elements. With
// this problem's launch the loop runs once. __restrict__ promises that input and output do not overlap, and __ldg
// reads through the read-only cache.

#define BLOCK 256

__device__ float sigmoid(float x) {
    return 1.0f / (1.0f + expf(-x));
}

extern "C" __global__ void map_kernel(const float* __restrict__ input, float* __restrict__ output, int N) {
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        output[i] = sigmoid(__ldg(input + i));
    }
}
