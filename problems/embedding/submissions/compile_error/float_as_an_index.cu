// expect: compile_error
//
// Embedding that takes a word for a token.
//
// An index has to be a whole number.

__global__ void embedding_kernel(const int* tokens, const float* words, const float* places, float* output, int B,
                                 int T, int V, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < B * T * D) {
        int d = i % D;
        int token = i / D;
        output[i] = words[words[token]] + places[token % T * D + d];  // <- here
    }
}
