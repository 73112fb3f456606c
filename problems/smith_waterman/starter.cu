// Smith-Waterman: the largest cell of H, for each pair of sequences.
//
// The kernel gets one block of BLOCK threads for each pair. You may change the number: any constant expression up to
// 1024.
#define BLOCK 128

__global__ void alignment_kernel(const unsigned char* a, const unsigned char* b, int* score, int PAIRS, int N, int M) {
    a += (size_t)blockIdx.x * N;
    b += (size_t)blockIdx.x * M;

    // Your turn: H[i][j] is the largest of 0, H[i-1][j-1] + 3 or - 2, H[i-1][j] - 4 and H[i][j-1] - 4.
    int best = 0;

    if (threadIdx.x == 0) {
        score[blockIdx.x] = best;
    }
}

// Host code: the grader calls it. The arrays lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const unsigned char* a, const unsigned char* b, int* score, int PAIRS, int N, int M) {
    alignment_kernel<<<PAIRS, BLOCK>>>(a, b, score, PAIRS, N, M);
}
