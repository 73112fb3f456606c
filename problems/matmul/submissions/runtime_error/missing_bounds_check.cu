// expect: runtime_error out_of_bounds
//
// Matrix multiplication without a bounds check.
//
// The student thought: "there is one thread for each element of C". There are more: the grid is rounded up to whole
// blocks, and the threads beyond the edge read past the matrices. Right only for multiples of TILE.

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    float sum = 0.0f;
    for (int k = 0; k < N; ++k) {
        sum += A[row * N + k] * B[k * K + column];  // <- here
    }
    C[row * K + column] = sum;
}
