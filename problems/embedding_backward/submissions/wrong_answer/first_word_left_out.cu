// expect: wrong_answer wrong_value
//
// Embedding backward that takes word 0 for padding.
//
// In some tables it is. Here each word counts.

__global__ void embedding_backward_kernel(const int* tokens, const float* upstream, float* gradient, int N, int V,
                                          int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N * D && tokens[i / D] > 0) {
        atomicAdd(&gradient[(size_t)tokens[i / D] * D + i % D], upstream[i]);
    }
}
