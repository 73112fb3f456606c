// expect: accepted
//
// Reduction, step 2: a tree in shared memory, one atomic operation a block.
//
// Added to step 1: each thread first sums up its elements in a register. The block then adds its threads' sums in
// pairs: 128 additions side by side, then 64, 32, ... 1. From N atomic operations only one for each block is left,
// at most 1024.
//
//     before    a b c d e f g h
//     stride 4  a+e  b+f  c+g  d+h
//     stride 2  a+e+c+g  b+f+d+h
//     stride 1  the sum
//
// The threads that add are always the first ones, so that whole warps fall idle rather than single lanes.

#define BLOCK 256

extern "C" __global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ float partial[BLOCK];

    float sum = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        sum += input[i];
    }
    partial[threadIdx.x] = sum;
    __syncthreads();

    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        }
        // Outside of the if: all threads of the block have to arrive here.
        __syncthreads();
    }

    if (threadIdx.x == 0) {
        atomicAdd(output, partial[0]);
    }
}
