// expect: wrong_answer wrong_value
//
// Cross-entropy that adds the largest to the logarithm first.
//
// Around 4096 neighbouring floats are 0.0005 apart: log(sum) loses its digits there before the label's element is
// subtracted.

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
    loss[blockIdx.x] = (logf(sum) + largest) - row[labels[blockIdx.x]];
}
