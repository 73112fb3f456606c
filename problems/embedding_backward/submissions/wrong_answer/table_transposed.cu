// expect: wrong_answer wrong_value
//
// Embedding backward into a table that runs the other way.
//
// A row of the table holds one word, not one column of all words.

__global__ void embedding_backward_kernel(const int* tokens, const float* upstream, float* gradient, int N, int V,
                                          int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N * D) {
        atomicAdd(&gradient[(size_t)(i % D) * V + tokens[i / D]], upstream[i]);
    }
}
