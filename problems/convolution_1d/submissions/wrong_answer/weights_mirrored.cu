// expect: wrong_answer wrong_value
//
// 1D convolution with mirrored weights.
//
// The student took the definition of signal processing. A symmetric row of weights gives the same in both.

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int N, int K) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float sum = 0.0f;
        for (int j = 0; j < K; ++j) {
            int from = i + j - K / 2;
            if (from >= 0 && from < N) {
                sum += weights[K - 1 - j] * input[from];
            }
        }
        output[i] = sum;
    }
}
