// expect: runtime_error out_of_bounds
//
// 1D convolution that checks the input's ends and not the output's.
//
// The last block is always complete. Its surplus threads find no elements, and store a sum of 0 behind the output.

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int N, int K) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < K; ++j) {
        int from = i + j - K / 2;
        if (from >= 0 && from < N) {
            sum += weights[j] * input[from];
        }
    }
    output[i] = sum;  // <- here
}
