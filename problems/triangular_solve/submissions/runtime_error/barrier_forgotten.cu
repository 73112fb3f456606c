// expect: runtime_error data_race
//
// Triangular solve without the barrier before a new square.
//
// Slow warps still read the old one.

#define BLOCK 64
#define COLUMNS 2
#define PANEL 32

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
        for (int begin = 0; begin <= first; begin += PANEL) {
            for (int place = threadIdx.x; place < PANEL * PANEL; place += BLOCK) {
                int i = place / PANEL;
                int k = place % PANEL;
                square[k][i] = first + i < N && begin + k < N ? A[(first + i) * N + begin + k] : 0.0f;
            }
            if (threadIdx.x < PANEL) {
                int row = first + threadIdx.x;
                inverse[threadIdx.x] = row < N ? 1.0f / (A[row * N + row] + shift) : 0.0f;
            }
            __syncthreads();
            if (begin == first) {
                break;
            }
#pragma unroll 4
            for (int k = 0; k < PANEL; k++) {
                float x[COLUMNS];
#pragma unroll
                for (int c = 0; c < COLUMNS; c++) {
                    x[c] = columns[c] < R ? X[(begin + k) * R + columns[c]] : 0.0f;
                }
                const float4* factors = reinterpret_cast<const float4*>(square[k]);
#pragma unroll
                for (int i = 0; i < PANEL; i += 4) {
                    float4 four = factors[i / 4];
#pragma unroll
                    for (int c = 0; c < COLUMNS; c++) {
                        sums[c][i] -= four.x * x[c];
                        sums[c][i + 1] -= four.y * x[c];
                        sums[c][i + 2] -= four.z * x[c];
                        sums[c][i + 3] -= four.w * x[c];
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
