// expect: wrong_answer wrong_value
//
// 1D convolution that repeats the first and the last element beyond the ends.
//
// Image filters often do so. Here the input counts as 0 there.

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int N, int K) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float sum = 0.0f;
        for (int j = 0; j < K; ++j) {
            int from = min(max(i + j - K / 2, 0), N - 1);
            sum += weights[j] * input[from];
        }
        output[i] = sum;
    }
}
