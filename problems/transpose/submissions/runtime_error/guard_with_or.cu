// expect: runtime_error out_of_bounds
//
// Transpose whose guard lets a thread pass that is inside in one direction only.
//
// Both conditions have to hold, and the student joined them by || for &&.

__global__ void transpose_kernel(const float* input, float* output, int M, int N) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M || column < N) {
        output[column * M + row] = input[row * N + column];  // <- here
    }
}
