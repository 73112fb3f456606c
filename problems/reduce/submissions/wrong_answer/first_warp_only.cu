// expect: wrong_answer wrong_value
//
// Warp-shuffle reduction that forgets all warps but the first.
//
// The student thought that a shuffle reaches every thread of the block. It reaches the 32 lanes of its own warp;
// here the sums of the other warps are computed and then dropped, since only thread 0 of the block adds to the
// result.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        sum += input[i];
    }

    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }

    if (threadIdx.x == 0) {
        atomicAdd(output, sum);
    }
}
