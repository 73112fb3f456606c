// expect: accepted
//
// Layer norm, step 1: one thread does a whole row.
//
// Three loops: the mean, the variance around it, the result. All other threads of the block are idle.

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
    float scale = rsqrtf(squares / N + 1e-5f);
    for (int j = 0; j < N; j++) {
        result[j] = (row[j] - mean) * scale * weight[j] + bias[j];
    }
}
