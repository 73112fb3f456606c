// expect: accepted
//
// Edit distance, step 2: a block for each pair, and all cells of a diagonal at once.
//
// Added to step 1: the cells with i + j = d need those with d - 1 and d - 2 alone, so the threads of the block share
// them. Three diagonals take turns in shared memory, by the row of their cells. A barrier for each: N + M of them.

#define BLOCK 64
#define MOST 1024

__global__ void edit_distance_kernel(const unsigned char* a, const unsigned char* b, int* distance, int PAIRS, int N,
                                     int M) {
    // Cell (i, d - i) of diagonal d stands in cells[d % 3][i].
    __shared__ int cells[3][MOST + 1];
    __shared__ unsigned char letters[2][MOST];
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        letters[0][i] = a[(size_t)blockIdx.x * N + i];
    }
    for (int j = threadIdx.x; j < M; j += BLOCK) {
        letters[1][j] = b[(size_t)blockIdx.x * M + j];
    }
    __syncthreads();
    for (int d = 0; d <= N + M; d++) {
        int* own = cells[d % 3];
        int* before = cells[(d + 2) % 3];
        int* two_before = cells[(d + 1) % 3];
        for (int i = max(d - M, 0) + threadIdx.x; i <= min(d, N); i += BLOCK) {
            int j = d - i;
            if (i == 0 || j == 0) {
                own[i] = d;
            } else {
                int replaced = two_before[i - 1] + (letters[0][i - 1] != letters[1][j - 1]);
                own[i] = min(min(before[i], before[i - 1]) + 1, replaced);
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        distance[blockIdx.x] = cells[(N + M) % 3][N];
    }
}
