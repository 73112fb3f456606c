// expect: wrong_answer unwritten_output
//
// Transpose whose grid has rows and columns swapped.
//
// The kernel counts columns along x, and the host made as many blocks along x as there are rows. A square matrix does
// not show it; a wide one gets too few blocks in one direction and idle ones in the other.

#include <cuda_runtime.h>

__global__ void transpose(const float* input, float* output, int M, int N) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && column < N) {
        output[column * M + row] = input[row * N + column];
    }
}

extern "C" void solve(const float* input, float* output, int M, int N) {
    dim3 block(16, 16);
    dim3 grid((M + 15) / 16, (N + 15) / 16);
    transpose<<<grid, block>>>(input, output, M, N);
}
