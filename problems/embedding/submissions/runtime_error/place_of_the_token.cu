// expect: runtime_error out_of_bounds
//
// Embedding with a place for each token of each text.
//
// Each text begins at place 0 again.

__global__ void embedding_kernel(const int* tokens, const float* words, const float* places, float* output, int B,
                                 int T, int V, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < B * T * D) {
        int d = i % D;
        int token = i / D;
        output[i] = words[(size_t)tokens[token] * D + d] + places[token * D + d];  // <- here
    }
}
