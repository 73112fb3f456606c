// expect: compile_error
//
// Reduction that spells one of its variables in two ways.
//
// The student declared partial and used partials. C++ knows no name that has not been declared.

__global__ void reduction_kernel(const float* input, float* output, int N) {
    __shared__ float partial[256];

    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
        sum += input[i];
    }
    partial[threadIdx.x] = sum;
    __syncthreads();

    for (int stride = 128; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partials[threadIdx.x + stride];
        }
        __syncthreads();
    }

    if (threadIdx.x == 0) {
        atomicAdd(output, partial[0]);
    }
}
