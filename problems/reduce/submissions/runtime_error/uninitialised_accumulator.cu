// expect: runtime_error uninitialized_read
//
// Reduction that sums up in a shared variable without setting it to zero first.
//
// The student knew that output[0] is 0 before the launch and thought the same of shared memory. It holds whatever
// the previous block left there.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ float block_sum;

    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        sum += input[i];
    }
    atomicAdd(&block_sum, sum);  // <- here
    __syncthreads();

    if (threadIdx.x == 0) {
        atomicAdd(output, block_sum);
    }
}
