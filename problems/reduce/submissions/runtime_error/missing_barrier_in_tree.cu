// expect: runtime_error data_race
//
// Shared-memory reduction without a barrier between the levels of the tree.
//
// The student thought: "the sums are complete before the loop, so the loop needs no barrier". Each level reads what
// other warps wrote in the level before. Up to 32 elements all of it happens in one warp, and the fault may not
// show.

#define BLOCK 256

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ float partial[BLOCK];

    float sum = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        sum += input[i];
    }
    partial[threadIdx.x] = sum;
    __syncthreads();

    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];  // <- here
        }
        // A __syncthreads() is missing here.
        __syncwarp();
    }

    if (threadIdx.x == 0) {
        atomicAdd(output, partial[0]);
    }
}
