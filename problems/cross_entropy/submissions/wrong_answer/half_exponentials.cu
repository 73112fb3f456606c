// expect: wrong_answer
//
// Cross-entropy with exponentials in fp16.
//
// A half keeps eleven bits of each.

#include <cuda_fp16.h>

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
        sum += __half2float(hexp(__float2half(row[j] - largest)));
    }
    loss[blockIdx.x] = logf(sum) + (largest - row[labels[blockIdx.x]]);
}
