// expect: runtime_error uninitialized_read
//
// Matrix multiplication that adds to C without setting it to zero first.
//
// The student took it for granted that C starts as zeros. Nothing says so: the result is right plus whatever was
// there.

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < K) {
        for (int k = 0; k < N; ++k) {
            C[row * K + column] += A[row * N + k] * B[k * K + column];  // <- here
        }
    }
}
