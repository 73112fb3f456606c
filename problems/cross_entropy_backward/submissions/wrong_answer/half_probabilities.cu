// expect: wrong_answer
//
// Cross-entropy backward with probabilities in fp16.
//
// A half keeps eleven bits of each.

#include <cuda_fp16.h>

__global__ void cross_entropy_backward_kernel(const float* logits, const int* labels, const float* upstream,
                                              float* gradient, int M, int N) {
    if (threadIdx.x > 0) {
        return;
    }
    const float* row = logits + (size_t)blockIdx.x * N;
    float* result = gradient + (size_t)blockIdx.x * N;
    int label = labels[blockIdx.x];
    float largest = row[0];
    for (int j = 1; j < N; j++) {
        largest = fmaxf(largest, row[j]);
    }
    float sum = 0.0f;
    for (int j = 0; j < N; j++) {
        sum += expf(row[j] - largest);
    }
    for (int j = 0; j < N; j++) {
        float probability = __half2float(__float2half(expf(row[j] - largest) / sum));
        result[j] = (probability - (j == label ? 1.0f : 0.0f)) * upstream[blockIdx.x];
    }
}
