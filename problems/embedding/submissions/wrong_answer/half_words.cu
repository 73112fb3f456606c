// expect: wrong_answer
//
// Embedding with words in fp16.
//
// A sum of floats has to be exact.

#include <cuda_fp16.h>

__global__ void embedding_kernel(const int* tokens, const float* words, const float* places, float* output, int B,
                                 int T, int V, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < B * T * D) {
        int d = i % D;
        int token = i / D;
        output[i] = __half2float(__float2half(words[(size_t)tokens[token] * D + d])) + places[token % T * D + d];
    }
}
