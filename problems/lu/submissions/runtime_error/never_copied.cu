// expect: runtime_error uninitialized_read
//
// LU that eliminates in an empty output.
//
// The output does not start with A.

#define BLOCK 1024

__global__ void lu_kernel(const float* A, float* LU, int N) {
    for (int i = threadIdx.x; i < N; i += BLOCK) {
        LU[i * N + i] = A[i * N + i] + N + 1;
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
