// expect: wrong_answer unwritten_output
//
// Transpose with blocks of 32 x 8 threads that move one element each.
//
// The student took the launch constants of a faster kernel without its loop. A tile of 32 x 32 has four elements for
// each of these threads, and three of them stay where they are.

#define TILE 32
#define ROWS 8

__global__ void transpose_kernel(const float* input, float* output, int M, int N) {
    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < M && column < N) {
        output[column * M + row] = input[row * N + column];
    }
}
