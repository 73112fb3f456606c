// expect: runtime_error data_race
//
// Shared-memory reduction without the barrier between storing the threads' sums and adding them.
//
// The student thought: "every thread has just stored its sum". Every thread of the same warp has; the second half
// of the block, whose sums the first half reads, is made of other warps.

#define BLOCK 256

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ float partial[BLOCK];

    float sum = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        sum += input[i];
    }
    partial[threadIdx.x] = sum;

    // A __syncthreads() is missing here.
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];  // <- here
        }
        __syncthreads();
    }

    if (threadIdx.x == 0) {
        atomicAdd(output, partial[0]);
    }
}
