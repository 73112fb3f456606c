// expect: runtime_error
//
// Transpose that takes the output's rows to be as long as the input's.
//
// A row of the output has M floats. With N in its place a wide matrix is written beyond its end, and two elements of a
// tall one to the same place; a square one comes out right, and that was the one tried.

__global__ void transpose_kernel(const float* input, float* output, int M, int N) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < N) {
        output[column * N + row] = input[row * N + column];  // <- here
    }
}
