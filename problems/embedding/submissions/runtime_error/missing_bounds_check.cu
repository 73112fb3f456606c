// expect: runtime_error out_of_bounds
//
// Embedding without a bounds check.
//
// The grid is rounded up to whole blocks; the last threads have no element.

__global__ void embedding_kernel(const int* tokens, const float* words, const float* places, float* output, int B,
                                 int T, int V, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {
        int d = i % D;
        int token = i / D;
        output[i] = words[(size_t)tokens[token] * D + d] + places[token % T * D + d];  // <- here
    }
}
