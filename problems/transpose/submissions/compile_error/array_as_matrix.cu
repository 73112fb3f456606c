// expect: compile_error
//
// Transpose that indexes a pointer by row and column.
//
// The student wrote the formula as it stands in the statement. A float* knows no rows: input[row] is a float, and a
// float has no elements.

__global__ void transpose_kernel(const float* input, float* output, int M, int N) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < N) {
        output[column][row] = input[row][column];  // <- here
    }
}
