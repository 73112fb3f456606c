// expect: wrong_answer low_precision
//
// Embedding backward from rows in fp16.
//
// The sum is a float, but each row has lost all but eleven bits before.

#include <cuda_fp16.h>

__global__ void embedding_backward_kernel(const int* tokens, const float* upstream, float* gradient, int N, int V,
                                          int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N * D) {
        float x = __half2float(__float2half(upstream[i]));
        atomicAdd(&gradient[(size_t)tokens[i / D] * D + i % D], x);
    }
}
