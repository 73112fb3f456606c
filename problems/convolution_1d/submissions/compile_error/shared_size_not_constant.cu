// expect: compile_error
//
// 1D convolution with a shared array as long as the weights.
//
// The length of an array has to be known when the kernel is compiled, and K is known when it runs.

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int N, int K) {
    __shared__ float shared_weights[K];  // <- here
    for (int j = threadIdx.x; j < K; j += blockDim.x) {
        shared_weights[j] = weights[j];
    }
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float sum = 0.0f;
        for (int j = 0; j < K; ++j) {
            int from = i + j - K / 2;
            if (from >= 0 && from < N) {
                sum += shared_weights[j] * input[from];
            }
        }
        output[i] = sum;
    }
}
