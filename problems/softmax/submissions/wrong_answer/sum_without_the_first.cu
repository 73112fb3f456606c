// expect: wrong_answer wrong_value
//
// Softmax whose sum begins at the second element.
//
// The student copied the loop for the largest element, which may begin at 1, because the first one is the start.

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
    for (int j = 1; j < N; j++) {
        sum += expf(row[j] - largest);
    }
    for (int j = 0; j < N; j++) {
        result[j] = expf(row[j] - largest) / sum;
    }
}
