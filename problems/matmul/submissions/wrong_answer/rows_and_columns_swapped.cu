// expect: wrong_answer unwritten_output
//
// Matrix multiplication that takes rows from x and columns from y.
//
// The student thought of x as the first index, as in mathematics. The grid has as many blocks in x as C has
// columns, so a wide C gets too few threads for its columns, and a tall C too few for its rows: part of C stays
// unwritten. Square results come out right, only slowly, since neighbouring threads then write K floats apart.

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int column = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < K) {
        float sum = 0.0f;
        for (int k = 0; k < N; ++k) {
            sum += A[row * N + k] * B[k * K + column];
        }
        C[row * K + column] = sum;
    }
}
