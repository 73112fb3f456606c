// expect: wrong_answer wrong_value
//
// Reduction in which each thread takes one element only.
//
// The student thought: "there is a thread for each element". Up to 1024 blocks there is; from then on the grid does
// not grow any more, and all elements beyond it are left out of the sum.

#define BLOCK 256

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ float partial[BLOCK];

    int i = blockIdx.x * BLOCK + threadIdx.x;
    partial[threadIdx.x] = i < N ? input[i] : 0.0f;
    __syncthreads();

    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        }
        __syncthreads();
    }

    if (threadIdx.x == 0) {
        atomicAdd(output, partial[0]);
    }
}
