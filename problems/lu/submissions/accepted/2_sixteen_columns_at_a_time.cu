// expect: accepted
//
// LU, step 2: sixteen columns at a time.
//
// Added to step 1: elimination column by column only within a panel of 16 columns. Then each thread takes a column
// right of it: it finds the 16 numbers of U, keeps them in registers, and goes down the rows with 16 products for each
// number that is read and written. The rest of the matrix moves a sixteenth as often; that is the gain.

#define BLOCK 512
#define PANEL 16

__global__ void __launch_bounds__(BLOCK) lu_kernel(const float* A, float* LU, int N) {
    for (int place = threadIdx.x; place < N * N; place += BLOCK) {
        LU[place] = place / N == place % N ? A[place] + N + 1 : A[place];
    }
    __syncthreads();
    for (int first = 0; first < N; first += PANEL) {
        int end = min(first + PANEL, N);
        for (int k = first; k < end; k++) {
            for (int i = k + 1 + threadIdx.x; i < N; i += BLOCK) {
                LU[i * N + k] /= LU[k * N + k];
            }
            __syncthreads();
            int wide = end - k - 1;
            for (int place = threadIdx.x; place < (N - k - 1) * wide; place += BLOCK) {
                int i = k + 1 + place / wide;
                int j = k + 1 + place % wide;
                LU[i * N + j] -= LU[i * N + k] * LU[k * N + j];
            }
            __syncthreads();
        }
        // There is something right of the panel only if the panel is a whole one.
        for (int j = end + threadIdx.x; j < N; j += BLOCK) {
            float upper[PANEL];
#pragma unroll
            for (int i = 0; i < PANEL; i++) {
                const float* row = LU + (first + i) * N + first;
                upper[i] = LU[(first + i) * N + j];
#pragma unroll
                for (int k = 0; k < i; k++) {
                    upper[i] -= row[k] * upper[k];
                }
                LU[(first + i) * N + j] = upper[i];
            }
            for (int i = end; i < N; i++) {
                const float* row = LU + i * N + first;
                float sum = LU[i * N + j];
#pragma unroll
                for (int k = 0; k < PANEL; k++) {
                    sum -= row[k] * upper[k];
                }
                LU[i * N + j] = sum;
            }
        }
        __syncthreads();
    }
}
