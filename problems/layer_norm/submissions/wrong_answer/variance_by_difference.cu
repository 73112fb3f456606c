// expect: wrong_answer
//
// Layer norm with the variance as mean(x^2) - mean(x)^2.
//
// One pass instead of two. Where the mean is large beside the deviation, the two squares are nearly equal, and what
// is left of their difference is rounding.

__global__ void layer_norm_kernel(const float* input, const float* weight, const float* bias, float* output, int M,
                                  int N) {
    if (threadIdx.x > 0) {
        return;
    }
    const float* row = input + (size_t)blockIdx.x * N;
    float* result = output + (size_t)blockIdx.x * N;
    float sum = 0.0f;
    for (int j = 0; j < N; j++) {
        sum += row[j];
    }
    float mean = sum / N;
    float squares = 0.0f;
    for (int j = 0; j < N; j++) {
        squares += row[j] * row[j];
    }
    float scale = rsqrtf(fmaxf(squares / N - mean * mean, 0.0f) + 1e-5f);
    for (int j = 0; j < N; j++) {
        result[j] = (row[j] - mean) * scale * weight[j] + bias[j];
    }
}
