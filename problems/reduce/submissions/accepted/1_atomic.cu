// expect: accepted
//
// Reduction, step 1: every element is added to the result by an atomic operation.
//
// The loop takes strides of the whole grid, so that any N works with the 1024 blocks at most that are launched, and
// the threads of a warp read neighbouring elements. What is left to gain: all N additions hit the same address and
// queue up there, one after the other.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        atomicAdd(output, input[i]);
    }
}
