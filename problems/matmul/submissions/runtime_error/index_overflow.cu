// expect: runtime_error out_of_bounds
//
// Matrix multiplication that computes the indices of its loads in 16 bits.
//
// The student wanted to save registers and saw that every size fits into a short. Their products do not: an index
// above 32767 wraps around to a negative number, and the load reads far before the start of the array.

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            short a_index = row * N + k;
            short b_index = k * K + column;
            sum += A[a_index] * B[b_index];  // <- here
        }
        C[row * K + column] = sum;
    }
}
