// expect: wrong_answer
//
// RMS norm with squares in half precision.
//
// A square takes twice the digits of its root, and the student had half of them; it also leaves the range of halves much
// sooner, and then the whole row is wrong.

#include <cuda_fp16.h>

#define BLOCK 256

__global__ void rms_norm_kernel(const float* input, const float* weight, float* output, int M, int N) {
    __shared__ float parts[BLOCK];
    const float* row = input + (size_t)blockIdx.x * N;
    float* result = output + (size_t)blockIdx.x * N;
    float squares = 0.0f;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        __half x = __float2half(row[j]);
        squares += __half2float(__hmul(x, x));
    }
    parts[threadIdx.x] = squares;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            parts[threadIdx.x] += parts[threadIdx.x + half];
        }
        __syncthreads();
    }
    float scale = rsqrtf(parts[0] / N + 1e-5f);
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        result[j] = __half2float(__float2half(row[j])) * scale * weight[j];
    }
}
