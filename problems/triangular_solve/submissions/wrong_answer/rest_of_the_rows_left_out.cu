// expect: wrong_answer unwritten_output
//
// Triangular solve by whole panels.
//
// Where N is no multiple of eight, rows are left over.

#define BLOCK 128
#define PANEL 8

__global__ void __launch_bounds__(BLOCK)
    triangular_kernel(const float* __restrict__ A, const float* __restrict__ B, float* X, int N, int R, float shift) {
    int column = blockIdx.x * BLOCK + threadIdx.x;
    if (column >= R) {
        return;
    }
    for (int first = 0; first + PANEL <= N; first += PANEL) {
        float sums[PANEL];
#pragma unroll
        for (int i = 0; i < PANEL; i++) {
            sums[i] = first + i < N ? B[(first + i) * R + column] : 0.0f;
        }
        for (int k = 0; k < first; k++) {
            float x = X[k * R + column];
#pragma unroll
            for (int i = 0; i < PANEL; i++) {
                // Rows behind the last one do as it does; their sums are not used.
                sums[i] -= A[min(first + i, N - 1) * N + k] * x;
            }
        }
#pragma unroll
        for (int i = 0; i < PANEL; i++) {
            int row = first + i;
            if (row < N) {
#pragma unroll
                for (int k = 0; k < i; k++) {
                    sums[i] -= A[row * N + first + k] * sums[k];
                }
                sums[i] /= A[row * N + row] + shift;
                X[row * R + column] = sums[i];
            }
        }
    }
}
