// expect: wrong_answer wrong_value
//
// Cross-entropy in bits.
//
// log2f is faster than logf, and larger by 1 / log(2).

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
    loss[blockIdx.x] = log2f(sum) + (largest - row[labels[blockIdx.x]]);
}
