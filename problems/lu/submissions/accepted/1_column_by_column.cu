// expect: accepted
//
// LU, step 1: column by column, in one block.
//
// Two barriers for each column: after it has been divided, and after the rest has been changed. Every number is read
// and written once for each column before it.

#define BLOCK 1024

__global__ void lu_kernel(const float* A, float* LU, int N) {
    for (int place = threadIdx.x; place < N * N; place += BLOCK) {
        LU[place] = place / N == place % N ? A[place] + N + 1 : A[place];
    }
    __syncthreads();
    for (int k = 0; k < N; k++) {
        for (int i = k + 1 + threadIdx.x; i < N; i += BLOCK) {
            LU[i * N + k] /= LU[k * N + k];
        }
        __syncthreads();
        int rest = N - k - 1;
        for (int place = threadIdx.x; place < rest * rest; place += BLOCK) {
            int i = k + 1 + place / rest;
            int j = k + 1 + place % rest;
            LU[i * N + j] -= LU[i * N + k] * LU[k * N + j];
        }
        __syncthreads();
    }
}
