// expect: accepted
//
// Embedding, step 1: one thread for each element.
//
// Neighbouring threads read neighbours of a row, so that the gather is coalesced except where a row ends. The
// divisions and the token, which all threads of a row read again, cost more than the addition.

__global__ void embedding_kernel(const int* tokens, const float* words, const float* places, float* output, int B,
                                 int T, int V, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < B * T * D) {
        int d = i % D;
        int token = i / D;
        output[i] = words[(size_t)tokens[token] * D + d] + places[token % T * D + d];
    }
}
