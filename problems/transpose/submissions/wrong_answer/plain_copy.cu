// expect: wrong_answer wrong_value
//
// Transpose that copies.
//
// The student swapped the indices on both sides, which swaps nothing. A matrix of one row comes out right.

__global__ void transpose_kernel(const float* input, float* output, int M, int N) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < N) {
        output[row * N + column] = input[row * N + column];
    }
}
