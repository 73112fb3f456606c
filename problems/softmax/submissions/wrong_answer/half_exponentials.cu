// expect: wrong_answer
//
// Softmax with exponentials in half precision.
//
// Probabilities lie between 0 and 1, and the student thought that a half holds these well. It has 11 bits.

#include <cuda_fp16.h>

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
        sum += __half2float(hexp(__float2half(row[j] - largest)));
    }
    for (int j = 0; j < N; j++) {
        result[j] = __half2float(hexp(__float2half(row[j] - largest))) / sum;
    }
}
