// expect: wrong_answer wrong_value
//
// Softmax as the formula has it.
//
// Elements above 88.7 give infinity, and infinity divided by infinity is NaN.

__global__ void softmax_kernel(const float* input, float* output, int M, int N) {
    if (threadIdx.x > 0) {
        return;
    }
    const float* row = input + (size_t)blockIdx.x * N;
    float* result = output + (size_t)blockIdx.x * N;
    float largest = row[0];
    for (int j = 1; j < N; j++) {
        largest = fmaxf(largest, row[j]);
    }
    float sum = 0.0f;
    for (int j = 0; j < N; j++) {
        sum += expf(row[j]);
    }
    for (int j = 0; j < N; j++) {
        result[j] = expf(row[j]) / sum;
    }
}
