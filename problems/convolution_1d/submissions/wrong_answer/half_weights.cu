// expect: wrong_answer low_precision
//
// 1D convolution with weights in half precision.
//
// They take half of the shared memory, and keep 11 of their 24 significant bits.

#include <cuda_fp16.h>

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int N, int K) {
    __shared__ __half shared_weights[1023];
    for (int j = threadIdx.x; j < K; j += blockDim.x) {
        shared_weights[j] = __float2half(weights[j]);
    }
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float sum = 0.0f;
        for (int j = 0; j < K; ++j) {
            int from = i + j - K / 2;
            if (from >= 0 && from < N) {
                sum += __half2float(shared_weights[j]) * input[from];
            }
        }
        output[i] = sum;
    }
}
