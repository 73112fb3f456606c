// expect: accepted
//
// Softmax, step 1: one thread does a whole row.
//
// Three loops: the largest element, the sum of the exponentials, the quotients. All other threads of the block are
// idle, and each read of the one waits for memory.

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
        sum += expf(row[j] - largest);
    }
    for (int j = 0; j < N; j++) {
        result[j] = expf(row[j] - largest) / sum;
    }
}
