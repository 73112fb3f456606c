// expect: wrong_answer wrong_value
//
// Smith-Waterman whose scores end at 2,000, to fit into eleven bits.
//
// Sequences of 1,024 letters that are nearly the same score more than that.

#define BLOCK 32
#define MOST 1024

__global__ void alignment_kernel(const unsigned char* a, const unsigned char* b, int* score, int PAIRS, int N, int M) {
    __shared__ int row[MOST + 1];
    if (threadIdx.x > 0) {
        return;
    }
    a += (size_t)blockIdx.x * N;
    b += (size_t)blockIdx.x * M;
    for (int j = 0; j <= M; j++) {
        row[j] = 0;
    }
    int best = 0;
    for (int i = 1; i <= N; i++) {
        int upper_left = 0;
        for (int j = 1; j <= M; j++) {
            int above = row[j];
            int pair = upper_left + (a[i - 1] == b[j - 1] ? 3 : -2);
            row[j] = max(max(pair, 0), max(above, row[j - 1]) - 4);
            best = max(best, row[j]);
            upper_left = above;
        }
    }
    score[blockIdx.x] = min(best, 2000);
}
