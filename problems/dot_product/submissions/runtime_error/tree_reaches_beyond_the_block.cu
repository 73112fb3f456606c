// expect: runtime_error out_of_bounds
//
// Dot product with a tree that starts one level too high.
//
// The tree's first stride is half of the block. The student started with the whole block, and the upper half of the
// threads adds what lies behind the shared array.

#define BLOCK 256

__global__ void dot_product_kernel(const float* a, const float* b, float* output, int N) {
    __shared__ float partial[BLOCK];

    float sum = 0.0f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        sum += a[i] * b[i];
    }
    partial[threadIdx.x] = sum;
    __syncthreads();

    for (int stride = BLOCK; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];  // <- here
        }
        __syncthreads();
    }

    if (threadIdx.x == 0) {
        atomicAdd(output, partial[0]);
    }
}
