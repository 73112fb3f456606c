// expect: wrong_answer
//
// Layer norm with sums in half precision.
//
// The weights came as halves once, and so the student kept all of it in halves.

#include <cuda_fp16.h>

__global__ void layer_norm_kernel(const float* input, const float* weight, const float* bias, float* output, int M,
                                  int N) {
    if (threadIdx.x > 0) {
        return;
    }
    const float* row = input + (size_t)blockIdx.x * N;
    float* result = output + (size_t)blockIdx.x * N;
    float sum = 0.0f;
    for (int j = 0; j < N; j++) {
        sum += row[j];
    }
    float mean = sum / N;
    float squares = 0.0f;
    for (int j = 0; j < N; j++) {
        squares = __half2float(__float2half(squares + (row[j] - mean) * (row[j] - mean)));
    }
    float scale = rsqrtf(squares / N + 1e-5f);
    for (int j = 0; j < N; j++) {
        result[j] = (row[j] - mean) * scale * weight[j] + bias[j];
    }
}
