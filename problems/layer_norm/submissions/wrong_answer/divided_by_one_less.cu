// expect: wrong_answer wrong_value
//
// Layer norm with the variance of a sample.
//
// Statistics books divide by N - 1 where the mean was estimated from the same data. Layer norm divides by N.

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
        squares += (row[j] - mean) * (row[j] - mean);
    }
    float scale = rsqrtf(squares / max(N - 1, 1) + 1e-5f);
    for (int j = 0; j < N; j++) {
        result[j] = (row[j] - mean) * scale * weight[j] + bias[j];
    }
}
