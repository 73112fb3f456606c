// expect: wrong_answer wrong_value
//
// Embedding whose tokens are kept in 16 bits.
//
// The vocabulary may have four times as many words.

__global__ void embedding_kernel(const int* tokens, const float* words, const float* places, float* output, int B,
                                 int T, int V, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < B * T * D) {
        int d = i % D;
        int token = i / D;
        output[i] = words[(size_t)(unsigned short)tokens[token] * D + d] + places[token % T * D + d];
    }
}
