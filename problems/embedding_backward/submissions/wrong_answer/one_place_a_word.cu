// expect: wrong_answer wrong_value
//
// Embedding backward by exchange instead of addition.
//
// atomicExch makes the store atomic, but of a word that stands in several places one row is left.

__global__ void embedding_backward_kernel(const int* tokens, const float* upstream, float* gradient, int N, int V,
                                          int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N * D) {
        atomicExch(&gradient[(size_t)tokens[i / D] * D + i % D], upstream[i]);
    }
}
