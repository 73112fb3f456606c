// expect: wrong_answer wrong_value
//
// Embedding from a table with a column for each word.
//
// The table has a row for each word.

__global__ void embedding_kernel(const int* tokens, const float* words, const float* places, float* output, int B,
                                 int T, int V, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < B * T * D) {
        int d = i % D;
        int token = i / D;
        output[i] = words[(size_t)d * V + tokens[token]] + places[token % T * D + d];
    }
}
