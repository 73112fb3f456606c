// expect: runtime_error launch_failure
// on gpu: runtime_error
// problem: map
// row: emulator
//
// Calls itself until a thread has no stack left.

__device__ __noinline__ float down(int depth, float x) {
    volatile float keep[16];
    keep[depth & 15] = x;
    return depth < 0 ? x : down(depth + 1, x + keep[depth & 15]) + keep[(depth + 1) & 15];
}

__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = down(i + N, input[i]);
}
