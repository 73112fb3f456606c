// Paged attention: the query of head h of sequence s attends to lengths[s] tokens, of which token j lies in row j % 16
// of page table[s][j / 16]. output = softmax(query K^T / sqrt(D)) V. Element [p][row][h][d] of keys and values, fp32.
//
// The kernel gets one block of BLOCK threads for each head (x) of each sequence (y). You may change the number: any
// constant expression up to 1024.
#define BLOCK 128
constexpr int PAGE = 16;

__global__ void paged_attention_kernel(const float* queries, const float* keys, const float* values, const int* table,
                                       const int* lengths, float* output, int S, int H, int D, int T, int P) {
    int h = blockIdx.x;
    int s = blockIdx.y;
    int length = lengths[s];

    for (int j = threadIdx.x; j < length; j += blockDim.x) {
        size_t row = ((size_t)table[s * T + j / PAGE] * PAGE + j % PAGE) * H + h;
        // Your turn: the score of token j is the product of the query and keys[row * D ...], over sqrt(D).
    }
    // Then the largest of the scores, the sum of the exponentials, and the weighted mean of the values' rows.
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* queries, const float* keys, const float* values, const int* table,
                      const int* lengths, float* output, int S, int H, int D, int T, int P) {
    dim3 grid(H, S);
    paged_attention_kernel<<<grid, BLOCK>>>(queries, keys, values, table, lengths, output, S, H, D, T, P);
}
