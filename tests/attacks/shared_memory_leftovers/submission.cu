// expect: runtime_error uninitialized_read
// problem: reduce
// row: 6
//
// Hands out what shared memory held at the start: the partial sums of another kernel, it hopes.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ volatile float left[256];
    if (blockIdx.x == 0) atomicAdd(output, left[threadIdx.x]);
}
