// expect: wrong_answer wrong_value
//
// Triangular solve that takes B for X in the sum.
//
// The unknowns above are needed, not their right-hand sides.

#define BLOCK 128

__global__ void triangular_kernel(const float* A, const float* B, float* X, int N, int R, float shift) {
    int column = blockIdx.x * BLOCK + threadIdx.x;
    if (column >= R) {
        return;
    }
    for (int i = 0; i < N; i++) {
        float sum = B[i * R + column];
        for (int k = 0; k < i; k++) {
            sum -= A[i * N + k] * B[k * R + column];
        }
        X[i * R + column] = sum / (A[i * N + i] + shift);
    }
}
