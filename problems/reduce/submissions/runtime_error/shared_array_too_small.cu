// expect: runtime_error out_of_bounds
//
// Shared-memory reduction with an array smaller than the block.
//
// The student saw that the tree starts with 128 additions and made the array that long. But all 256 threads store
// their sums there first.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ float partial[128];

    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        sum += input[i];
    }
    partial[threadIdx.x] = sum;  // <- here
    __syncthreads();

    for (int stride = 128; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        }
        __syncthreads();
    }

    if (threadIdx.x == 0) {
        atomicAdd(output, partial[0]);
    }
}
