// expect: runtime_error out_of_bounds
//
// Matrix multiplication whose inner loop takes one step too many.
//
// The student wrote <= for <, as in "the sum from 0 to N". There are N terms, the last one at k = N - 1; row N of B
// does not exist.

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k <= N; ++k) {
            sum += A[row * N + k] * B[k * K + column];  // <- here
        }
        C[row * K + column] = sum;
    }
}
