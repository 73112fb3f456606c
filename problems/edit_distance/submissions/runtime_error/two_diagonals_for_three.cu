// expect: runtime_error data_race
//
// Edit distance with two diagonals in shared memory.
//
// A diagonal then overwrites the one two before while others still need it.

#define BLOCK 64
#define MOST 1024

__global__ void edit_distance_kernel(const unsigned char* a, const unsigned char* b, int* distance, int PAIRS, int N,
                                     int M) {
    // Cell (i, d - i) of diagonal d stands in cells[d % 2][i].
    __shared__ int cells[2][MOST + 1];
    __shared__ unsigned char letters[2][MOST];
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        letters[0][i] = a[(size_t)blockIdx.x * N + i];
    }
    for (int j = threadIdx.x; j < M; j += BLOCK) {
        letters[1][j] = b[(size_t)blockIdx.x * M + j];
    }
    __syncthreads();
    for (int d = 0; d <= N + M; d++) {
        int* own = cells[d % 2];
        int* before = cells[(d + 1) % 2];
        int* two_before = cells[d % 2];
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
        distance[blockIdx.x] = cells[(N + M) % 2][N];
    }
}
