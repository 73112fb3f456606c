// expect: wrong_answer wrong_value
//
// Embedding with the place of the text's number.
//
// token / T is the text, token % T the place.

__global__ void embedding_kernel(const int* tokens, const float* words, const float* places, float* output, int B,
                                 int T, int V, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < B * T * D) {
        int d = i % D;
        int token = i / D;
        output[i] = words[(size_t)tokens[token] * D + d] + places[min(token / T, T - 1) * D + d];
    }
}
