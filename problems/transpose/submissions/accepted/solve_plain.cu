// expect: accepted
//
// Transpose with its own host code, one thread an element.
//
// x runs along the rows of the output here: the writes are coalesced, and the reads are not. Reads that jump are a
// little better than writes that jump, since caches hold what a neighbouring warp will want next.

#include <cuda_runtime.h>

__global__ void transpose(const float* input, float* output, int rows, int cols) {
    int out_col = blockIdx.x * blockDim.x + threadIdx.x;
    int out_row = blockIdx.y * blockDim.y + threadIdx.y;
    if (out_row < cols && out_col < rows) {
        output[out_row * rows + out_col] = input[out_col * cols + out_row];
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    dim3 threadsPerBlock(16, 16);
    dim3 blocksPerGrid((rows + threadsPerBlock.x - 1) / threadsPerBlock.x,
                       (cols + threadsPerBlock.y - 1) / threadsPerBlock.y);
    transpose<<<blocksPerGrid, threadsPerBlock>>>(input, output, rows, cols);
    cudaDeviceSynchronize();
}
