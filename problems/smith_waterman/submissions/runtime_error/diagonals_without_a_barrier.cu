// expect: runtime_error data_race
//
// Smith-Waterman whose diagonals run into each other.
//
// Every cell needs those of the diagonal before, which other threads write.

#define BLOCK 128
#define MOST 1024

__global__ void alignment_kernel(const unsigned char* a, const unsigned char* b, int* score, int PAIRS, int N, int M) {
    // Cell (i, d - i) of diagonal d stands in cells[d % 3][i].
    __shared__ int cells[3][MOST + 1];
    __shared__ unsigned char letters[2][MOST];
    __shared__ int largest;
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        letters[0][i] = a[(size_t)blockIdx.x * N + i];
    }
    for (int j = threadIdx.x; j < M; j += BLOCK) {
        letters[1][j] = b[(size_t)blockIdx.x * M + j];
    }
    if (threadIdx.x == 0) {
        largest = 0;
    }
    __syncthreads();
    int best = 0;
    for (int d = 0; d <= N + M; d++) {
        int* own = cells[d % 3];
        int* before = cells[(d + 2) % 3];
        int* two_before = cells[(d + 1) % 3];
        for (int i = max(d - M, 0) + threadIdx.x; i <= min(d, N); i += BLOCK) {
            int j = d - i;
            int cell = 0;
            if (i > 0 && j > 0) {
                int pair = two_before[i - 1] + (letters[0][i - 1] == letters[1][j - 1] ? 3 : -2);
                cell = max(max(pair, 0), max(before[i], before[i - 1]) - 4);
            }
            own[i] = cell;
            best = max(best, cell);
        }
    }
    atomicMax(&largest, best);
    __syncthreads();
    if (threadIdx.x == 0) {
        score[blockIdx.x] = largest;
    }
}
