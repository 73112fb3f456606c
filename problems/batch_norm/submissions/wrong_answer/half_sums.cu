// expect: wrong_answer
//
// Batch norm that adds up in halves.
//
// A half has eleven significant bits, and ends at 65,504.

#include <cuda_fp16.h>

__global__ void batch_norm_kernel(const float* input, const float* weight, const float* bias, float* output,
                                  float* mean, float* variance, int B, int C, int L) {
    if (threadIdx.x > 0) {
        return;
    }
    int c = blockIdx.x;
    half sum = __float2half(0.0f);
    for (int b = 0; b < B; b++) {
        const float* piece = input + ((size_t)b * C + c) * L;
        for (int l = 0; l < L; l++) {
            sum = __hadd(sum, __float2half(piece[l]));
        }
    }
    float center = __half2float(sum) / ((float)B * L);
    float squares = 0.0f;
    for (int b = 0; b < B; b++) {
        const float* piece = input + ((size_t)b * C + c) * L;
        for (int l = 0; l < L; l++) {
            squares += (piece[l] - center) * (piece[l] - center);
        }
    }
    float spread = squares / ((float)B * L);
    float factor = weight[c] / sqrtf(spread + 1e-5f);
    for (int b = 0; b < B; b++) {
        size_t first = ((size_t)b * C + c) * L;
        for (int l = 0; l < L; l++) {
            output[first + l] = (input[first + l] - center) * factor + bias[c];
        }
    }
    mean[c] = center;
    variance[c] = spread;
}
