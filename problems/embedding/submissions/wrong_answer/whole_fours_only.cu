// expect: wrong_answer unwritten_output
//
// Embedding that leaves out the last columns.
//
// A row of D elements has D / 4 whole fours, and up to three elements more.

__global__ void embedding_kernel(const int* tokens, const float* words, const float* places, float* output, int B,
                                 int T, int V, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < B * T * D && i % D < D / 4 * 4) {
        int d = i % D;
        int token = i / D;
        output[i] = words[(size_t)tokens[token] * D + d] + places[token % T * D + d];
    }
}
