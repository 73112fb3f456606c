// expect: runtime_error uninitialized_read
//
// Triangular solve whose sum goes up to k = i.
//
// X[i] is what is being computed: it is not there yet.

#define BLOCK 128

__global__ void triangular_kernel(const float* A, const float* B, float* X, int N, int R, float shift) {
    int column = blockIdx.x * BLOCK + threadIdx.x;
    if (column >= R) {
        return;
    }
    for (int i = 0; i < N; i++) {
        float sum = B[i * R + column];
        for (int k = 0; k <= i; k++) {
            sum -= A[i * N + k] * X[k * R + column];  // <- here
        }
        X[i * R + column] = sum / (A[i * N + i] + shift);
    }
}
