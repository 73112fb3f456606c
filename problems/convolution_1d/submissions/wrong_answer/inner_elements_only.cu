// expect: wrong_answer unwritten_output
//
// 1D convolution that writes only outputs whose weights all meet an element.
//
// The student avoided the ends by leaving them out. They belong to the output.

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int N, int K) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int start = i - K / 2;
    if (start >= 0 && start + K <= N) {
        float sum = 0.0f;
        for (int j = 0; j < K; ++j) {
            sum += weights[j] * input[start + j];
        }
        output[i] = sum;
    }
}
