// expect: runtime_error out_of_bounds
//
// Matrix multiplication with a guard that lets one row too many pass.
//
// The student knew that a guard is needed but compared with <=. Row M would be the row after the last one. When M
// is a multiple of TILE no thread has that row, and the fault does not show.

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row <= M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += A[row * N + k] * B[k * K + column];  // <- here
        }
        C[row * K + column] = sum;
    }
}
