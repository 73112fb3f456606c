// expect: runtime_error out_of_bounds
//
// 1D convolution that reads beyond both ends of the input.
//
// The statement says that the input counts as 0 there. It does not say that there are zeros in memory.

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int N, int K) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float sum = 0.0f;
        for (int j = 0; j < K; ++j) {
            sum += weights[j] * input[i + j - K / 2];  // <- here
        }
        output[i] = sum;
    }
}
