// Transpose: output (N x M) holds the columns of input (M x N) as its rows, row-major, fp32.
//
// The kernel gets one block for each TILE x TILE piece of input, of TILE x ROWS threads: one for each element, unless
// you change the numbers. Any constant expressions will do, as long as TILE * ROWS is at most 1024.
#define TILE 16
#define ROWS 16

__global__ void transpose_kernel(const float* input, float* output, int M, int N) {
    // The x direction runs along a row of the input, so that neighbouring threads read neighbouring floats.
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    // The grid is rounded up to whole blocks: some threads lie outside of the matrix and must not touch memory.
    if (row < M && column < N) {
        // Your turn: input[row * N + column] belongs into row `column`, column `row` of the output.
    }
}

// Host code: the grader calls it. input and output lie in the GPU's memory, so only kernels can read and write them.
extern "C" void solve(const float* input, float* output, int M, int N) {
    dim3 block(TILE, ROWS);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    transpose_kernel<<<grid, block>>>(input, output, M, N);
}
