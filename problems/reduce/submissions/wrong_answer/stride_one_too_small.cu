// expect: wrong_answer
//
// Reduction whose grid steps one element too few.
//
// An input that fills its blocks to the last thread, or is longer than the grid, has elements that two threads add.
// Any other length is right, since the second step of each thread leads beyond the end.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    int stride = gridDim.x * blockDim.x - 1;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += stride) {
        sum += input[i];
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(output, sum);
    }
}
