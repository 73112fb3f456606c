// expect: accepted
//
// GELU, step 2: a loop with strides of the whole grid.
//
// Added to step 1: the kernel is right for any number of blocks. The polynomial is written as x * (a + b * x * x),
// which is one multiplication less and lets the compiler fuse one with the addition. Expect no gain: the memory is
// the limit.

#define BLOCK 512

__device__ __forceinline__ float gelu(float x) {
    float twice_z = x * (1.5957691216f + 0.0713548163f * x * x);
    return x / (1.0f + expf(-twice_z));
}

__global__ void gelu_kernel(const float* __restrict__ input, float* __restrict__ output, int N) {
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        output[i] = gelu(input[i]);
    }
}
