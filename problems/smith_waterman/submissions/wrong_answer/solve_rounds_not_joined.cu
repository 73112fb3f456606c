// expect: wrong_answer wrong_value
//
// Smith-Waterman whose rounds of 256 rows each begin with zeros above them.
//
// A piece may reach from one round into the next.

#include <cuda_runtime.h>

#define BLOCK 64
#define ROWS 8
#define MOST 1024
#define ALL 0xffffffffu

__global__ void __launch_bounds__(BLOCK)
    align(const unsigned char* __restrict__ a, const unsigned char* __restrict__ b, int* __restrict__ score, int PAIRS,
          int N, int M) {
    // The lowest row of the round before, by column.
    __shared__ short lowest[BLOCK / 32][MOST];
    const int lane = threadIdx.x % 32;
    const int pair = (blockIdx.x * BLOCK + threadIdx.x) / 32;
    if (pair >= PAIRS) {
        return;
    }
    short* edge = lowest[threadIdx.x / 32];
    a += (size_t)pair * N;
    b += (size_t)pair * M;

    int best = 0;
    for (int start = 0; start < N; start += 32 * ROWS) {
        int letters[ROWS];
        int left[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int i = start + lane * ROWS + r;
            // A letter that never matches: rows behind the end get nothing that is larger than what is above.
            letters[r] = i < N ? a[i] : 255;
            left[r] = 0;
        }
        int upper_left = 0;
        int handed_on = 0;
        int letter = 0;
        for (int step = 0; step < M + 31; step++) {
            const int j = step - lane;
            int above = __shfl_up_sync(ALL, handed_on, 1);
            letter = __shfl_up_sync(ALL, letter, 1);
            if (lane == 0 && j < M) {
                letter = b[j];
                above = 0;
            }
            // The others still read the row that the last lane writes: it is 31 columns behind.
            __syncwarp();
            if (j >= 0 && j < M) {
                int up = above;
                int diagonal = upper_left;
#pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    const int both = diagonal + (letters[r] == letter ? 3 : -2);
                    const int cell = max(max(both, 0), max(up, left[r]) - 4);
                    diagonal = left[r];
                    left[r] = cell;
                    up = cell;
                    best = max(best, cell);
                }
                upper_left = above;
                handed_on = up;
                if (lane == 31) {
                    edge[j] = (short)up;
                }
            }
        }
        __syncwarp();
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        best = max(best, __shfl_xor_sync(ALL, best, distance));
    }
    if (lane == 0) {
        score[pair] = best;
    }
}

extern "C" void solve(const unsigned char* a, const unsigned char* b, int* score, int PAIRS, int N, int M) {
    align<<<(PAIRS + BLOCK / 32 - 1) / (BLOCK / 32), BLOCK>>>(a, b, score, PAIRS, N, M);
}
