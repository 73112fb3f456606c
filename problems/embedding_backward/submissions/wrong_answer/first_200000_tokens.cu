// expect: wrong_answer wrong_value
//
// Embedding, backward, of the first 200,000 tokens.
//
// A text may have a million.

__global__ void embedding_backward_kernel(const int* tokens, const float* upstream, float* gradient, int N, int V,
                                          int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N * D && i / D < 200000) {
        atomicAdd(&gradient[(size_t)tokens[i / D] * D + i % D], upstream[i]);
    }
}
