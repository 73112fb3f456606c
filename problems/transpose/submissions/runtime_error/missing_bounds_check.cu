// expect: runtime_error out_of_bounds
//
// Transpose without a bounds check.
//
// The student tried sizes that divide by the tile. Everywhere else the last blocks reach beyond the matrix.

__global__ void transpose_kernel(const float* input, float* output, int M, int N) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    output[column * M + row] = input[row * N + column];  // <- here
}
