// expect: wrong_answer wrong_value
//
// Embedding of the place's own number.
//
// The student forgot to look up the token.

__global__ void embedding_kernel(const int* tokens, const float* words, const float* places, float* output, int B,
                                 int T, int V, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < B * T * D) {
        int d = i % D;
        int token = i / D;
        output[i] = words[(size_t)(token % V) * D + d] + places[token % T * D + d];
    }
}
