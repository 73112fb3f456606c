// expect: compile_error
//
// Matrix multiplication for square matrices, with a single size.
//
// The student wrote the textbook's kernel, where all matrices are N x N. The launch passes three sizes.

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int N) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < N && column < N) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += A[row * N + k] * B[k * N + column];
        }
        C[row * N + column] = sum;
    }
}
