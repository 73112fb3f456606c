// expect: runtime_error out_of_bounds
//
// Triangular solve without a bounds check.
//
// The grid is rounded up to whole blocks; the last threads have no column.

#define BLOCK 128

__global__ void triangular_kernel(const float* A, const float* B, float* X, int N, int R, float shift) {
    int column = blockIdx.x * BLOCK + threadIdx.x;
    for (int i = 0; i < N; i++) {
        float sum = B[i * R + column];  // <- here
        for (int k = 0; k < i; k++) {
            sum -= A[i * N + k] * X[k * R + column];
        }
        X[i * R + column] = sum / (A[i * N + i] + shift);
    }
}
