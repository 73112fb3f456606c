// expect: accepted
//
// Triangular solve, step 3: panels of 32 rows, squares of A in shared memory, numbers of X asked for ahead.
//
// Added to step 2: the block copies a square of 32 x 32 numbers of A and turns it, so that a float4 holds four rows'
// factors of one unknown. A number of X serves 32 rows. There are few warps, so each asks for what it needs next, eight
// numbers of X and the next square, before it computes with what it has. Blocks of two warps, one column a thread, use
// more of the GPU's schedulers. Expect half of step 2's time or less.

#define BLOCK 64
#define COLUMNS 1
#define PANEL 32
#define AHEAD 8  // numbers of X of each column
#define OWN (PANEL * PANEL / BLOCK)

struct Square {
    float numbers[OWN];
};

// This thread's part of a square, with zeros outside of A.
__device__ __forceinline__ Square part_of(const float* __restrict__ A, int first, int begin, int N) {
    Square part;
    const int k = begin + threadIdx.x % PANEL;
    const int i = first + threadIdx.x / PANEL;
#pragma unroll
    for (int p = 0; p < OWN; p++) {
        const int row = i + p * (BLOCK / PANEL);
        part.numbers[p] = row < N && k < N ? A[row * N + k] : 0.0f;
    }
    return part;
}

__global__ void __launch_bounds__(BLOCK)
    triangular_kernel(const float* __restrict__ A, const float* __restrict__ B, float* X, int N, int R, float shift) {
    // square[k][i] is A[first + i][begin + k]. Four numbers more a row keep float4 aligned.
    __shared__ __align__(16) float square[PANEL][PANEL + 4];
    __shared__ float inverse[PANEL];
    int columns[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        columns[c] = (blockIdx.x * COLUMNS + c) * BLOCK + threadIdx.x;
    }
    for (int first = 0; first < N; first += PANEL) {
        float sums[COLUMNS][PANEL];
#pragma unroll
        for (int i = 0; i < PANEL; i++) {
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                sums[c][i] = first + i < N && columns[c] < R ? B[(first + i) * R + columns[c]] : 0.0f;
            }
        }
        Square part = part_of(A, first, 0, N);
        float next[AHEAD][COLUMNS];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                next[k][c] = first > 0 && columns[c] < R ? X[k * R + columns[c]] : 0.0f;
            }
        }
        for (int begin = 0; begin <= first; begin += PANEL) {
            __syncthreads();
#pragma unroll
            for (int p = 0; p < OWN; p++) {
                square[threadIdx.x % PANEL][threadIdx.x / PANEL + p * (BLOCK / PANEL)] = part.numbers[p];
            }
            if (begin == first && threadIdx.x < PANEL) {
                int row = first + threadIdx.x;
                inverse[threadIdx.x] = row < N ? 1.0f / (A[row * N + row] + shift) : 0.0f;
            }
            __syncthreads();
            if (begin == first) {
                break;
            }
            part = part_of(A, first, begin + PANEL, N);
#pragma unroll 1
            for (int start = 0; start < PANEL; start += AHEAD) {
                float x[AHEAD][COLUMNS];
#pragma unroll
                for (int k = 0; k < AHEAD; k++) {
                    const int row = begin + start + AHEAD + k;
#pragma unroll
                    for (int c = 0; c < COLUMNS; c++) {
                        x[k][c] = next[k][c];
                        // Rows of this panel are still to be found.
                        next[k][c] = row < first && columns[c] < R ? X[row * R + columns[c]] : 0.0f;
                    }
                }
#pragma unroll
                for (int k = 0; k < AHEAD; k++) {
                    const float4* factors = reinterpret_cast<const float4*>(square[start + k]);
#pragma unroll
                    for (int i = 0; i < PANEL; i += 4) {
                        const float4 four = factors[i / 4];
#pragma unroll
                        for (int c = 0; c < COLUMNS; c++) {
                            sums[c][i] -= four.x * x[k][c];
                            sums[c][i + 1] -= four.y * x[k][c];
                            sums[c][i + 2] -= four.z * x[k][c];
                            sums[c][i + 3] -= four.w * x[k][c];
                        }
                    }
                }
            }
        }
        // The square on the diagonal: each unknown that is done is taken out of the rows below it.
#pragma unroll
        for (int k = 0; k < PANEL; k++) {
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                sums[c][k] *= inverse[k];
                if (first + k < N && columns[c] < R) {
                    X[(first + k) * R + columns[c]] = sums[c][k];
                }
            }
#pragma unroll
            for (int i = k + 1; i < PANEL; i++) {
                float factor = square[k][i];
#pragma unroll
                for (int c = 0; c < COLUMNS; c++) {
                    sums[c][i] -= factor * sums[c][k];
                }
            }
        }
    }
}
