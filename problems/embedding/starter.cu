// Embedding: output[b][t][d] = words[tokens[b][t]][d] + places[t][d]. B texts of T tokens; V words of D numbers, fp32.
//
// The kernel gets one thread for each element of the output, in blocks of BLOCK threads. You may change the number: any
// constant expression up to 1024.
#define BLOCK 256

__global__ void embedding_kernel(const int* tokens, const float* words, const float* places, float* output, int B,
                                 int T, int V, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    // The grid is rounded up to whole blocks: the last threads have no element and must not touch memory.
    if (i < B * T * D) {
        int d = i % D;
        int token = i / D;  // text * T + place
        // Your turn: look up the token's row of `words` and its place's row of `places`, and add them.
        output[i] = tokens[token] + d;
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const int* tokens, const float* words, const float* places, float* output, int B, int T, int V,
                      int D) {
    int blocks = (B * T * D + BLOCK - 1) / BLOCK;
    embedding_kernel<<<blocks, BLOCK>>>(tokens, words, places, output, B, T, V, D);
}
