// expect: compile_error
//
// Transpose under another name.
//
// The student named the kernel after the operation alone. The grader looks for the name that the statement gives.

__global__ void matrix_transpose_kernel(const float* input, float* output, int M, int N) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < N) {
        output[column * M + row] = input[row * N + column];
    }
}
