// expect: accepted
//
// Triangular solve, step 1: a thread for each right-hand side.
//
// A warp reads 32 neighbours of a row of X, and one number of A for all of its lanes. Each product costs both reads.

#define BLOCK 128

__global__ void triangular_kernel(const float* A, const float* B, float* X, int N, int R, float shift) {
    int column = blockIdx.x * BLOCK + threadIdx.x;
    if (column >= R) {
        return;
    }
    for (int i = 0; i < N; i++) {
        float sum = B[i * R + column];
        for (int k = 0; k < i; k++) {
            sum -= A[i * N + k] * X[k * R + column];
        }
        X[i * R + column] = sum / (A[i * N + i] + shift);
    }
}
