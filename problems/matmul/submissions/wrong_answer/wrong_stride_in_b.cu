// expect: wrong_answer wrong_value
//
// Matrix multiplication that walks along a row of B instead of down a column.
//
// The student wrote B's index in the image of A's: "the outer index times N, plus k". That is the product of A with
// the transpose of B. Every index stays inside of B, so nothing crashes.

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += A[row * N + k] * B[column * N + k];
        }
        C[row * K + column] = sum;
    }
}
