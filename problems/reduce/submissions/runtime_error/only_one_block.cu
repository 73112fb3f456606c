// expect: runtime_error data_race
//
// Reduction in which every block overwrites the result of the others.
//
// The student tested with fewer than 256 elements, where there is one block, and its sum is the result. With more
// blocks the one that stores last wins; their sums have to be added, by atomicAdd.

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
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        }
        __syncthreads();
    }

    if (threadIdx.x == 0) {
        output[0] = partial[0];  // <- here
    }
}
