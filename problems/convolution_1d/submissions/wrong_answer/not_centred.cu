// expect: wrong_answer wrong_value
//
// 1D convolution whose weights begin at element i instead of being centred on it.
//
// The output is moved by K/2 elements.

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int N, int K) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float sum = 0.0f;
        for (int j = 0; j < K && i + j < N; ++j) {
            sum += weights[j] * input[i + j];
        }
        output[i] = sum;
    }
}
