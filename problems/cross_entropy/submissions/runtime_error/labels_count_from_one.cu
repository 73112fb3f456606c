// expect: runtime_error out_of_bounds
//
// Cross-entropy with labels that count from 1.
//
// They count from 0: the row of label 0 reads what is before it.

__global__ void cross_entropy_kernel(const float* logits, const int* labels, float* loss, int M, int N) {
    if (threadIdx.x > 0) {
        return;
    }
    const float* row = logits + (size_t)blockIdx.x * N;
    float largest = row[0];
    for (int j = 1; j < N; j++) {
        largest = fmaxf(largest, row[j]);
    }
    float sum = 0.0f;
    for (int j = 0; j < N; j++) {
        sum += expf(row[j] - largest);
    }
    loss[blockIdx.x] = logf(sum) + (largest - row[labels[blockIdx.x] - 1]);  // <- here
}
