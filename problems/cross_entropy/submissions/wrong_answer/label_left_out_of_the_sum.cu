// expect: wrong_answer wrong_value
//
// Cross-entropy whose sum leaves out the label.
//
// The label's own exponential belongs to the sum.

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
        if (j != labels[blockIdx.x]) {
            sum += expf(row[j] - largest);
        }
    }
    loss[blockIdx.x] = logf(sum) + (largest - row[labels[blockIdx.x]]);
}
