// expect: wrong_answer wrong_value
//
// Embedding backward in groups of four columns.
//
// D / 4 rounds down: the last one to three columns are lost.

__global__ void embedding_backward_kernel(const int* tokens, const float* upstream, float* gradient, int N, int V,
                                          int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int fours = D / 4;
    if (i < N * fours) {
        int n = i / fours;
        for (int d = i % fours * 4; d < i % fours * 4 + 4; d++) {
            atomicAdd(&gradient[(size_t)tokens[n] * D + d], upstream[n * D + d]);
        }
    }
}
