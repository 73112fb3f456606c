// expect: accepted
//
// Dot product, step 2: a tree in shared memory, one atomic operation a block.
//
// Added to step 1: the block adds its threads' sums in pairs, 128 additions side by side, then 64, 32, ... 1. The
// threads that add are always the first ones, so that whole warps fall idle rather than single lanes. fmaf multiplies
// and adds with one rounding; the compiler makes the same of sum += a[i] * b[i].

#define BLOCK 256

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    __shared__ float partial[BLOCK];

    float sum = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        sum = fmaf(a[i], b[i], sum);
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
