// expect: accepted
//
// Transpose, step 1: one thread moves one element.
//
// A warp reads 32 neighbouring floats, one or two lines of memory. It writes 32 floats that lie M apart: 32 lines, of
// which it uses 4 bytes each. What is left to gain is the difference, up to eight times the traffic of the writes.

__global__ void transpose_kernel(const float* input, float* output, int M, int N) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < N) {
        output[column * M + row] = input[row * N + column];
    }
}
