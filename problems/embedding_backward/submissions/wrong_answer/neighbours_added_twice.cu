// expect: wrong_answer wrong_value
//
// Embedding backward that adds two equal neighbours at once.
//
// The first of a pair adds both rows; the second one does not know that, and adds its own again.

__global__ void embedding_backward_kernel(const int* tokens, const float* upstream, float* gradient, int N, int V,
                                          int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N * D) {
        int n = i / D;
        float x = upstream[i];
        if (n + 1 < N && tokens[n + 1] == tokens[n]) {
            x += upstream[i + D];
        }
        atomicAdd(&gradient[(size_t)tokens[n] * D + i % D], x);
    }
}
