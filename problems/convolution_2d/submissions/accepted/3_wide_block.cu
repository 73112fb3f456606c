// expect: accepted
//
// 2D convolution, step 3: the largest block.
//
// Added to step 2: TILE is 32. A warp is one whole row of the tile, so that its reads of shared memory touch 32
// neighbouring floats, each in a bank of its own, where two rows of 16 may collide. And the halo weighs less: with 7
// x 7 weights a tile of 16 x 16 copies 484 elements for 256 outputs, one of 32 x 32 copies 1444 for 1024.

#define TILE 32
#define MOST 31

__global__ void __launch_bounds__(TILE * TILE)
    convolution_kernel(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output,
                       int H, int W, int R, int S) {
    __shared__ float elements[TILE + MOST - 1][TILE + MOST - 1];
    __shared__ float shared_weights[MOST * MOST];

    const int first_row = blockIdx.y * TILE - R / 2;
    const int first_column = blockIdx.x * TILE - S / 2;
    for (int r = threadIdx.y; r < TILE + R - 1; r += TILE) {
        for (int s = threadIdx.x; s < TILE + S - 1; s += TILE) {
            const int row = first_row + r;
            const int column = first_column + s;
            const bool inside = row >= 0 && row < H && column >= 0 && column < W;
            elements[r][s] = inside ? input[row * W + column] : 0.0f;
        }
    }
    const int rank = threadIdx.y * TILE + threadIdx.x;
    if (rank < R * S) {
        shared_weights[rank] = weights[rank];
    }
    __syncthreads();

    const int x = blockIdx.x * TILE + threadIdx.x;
    const int y = blockIdx.y * TILE + threadIdx.y;
    if (y < H && x < W) {
        float sum = 0.0f;
        for (int r = 0; r < R; ++r) {
            for (int s = 0; s < S; ++s) {
                sum = fmaf(shared_weights[r * S + s], elements[threadIdx.y + r][threadIdx.x + s], sum);
            }
        }
        output[y * W + x] = sum;
    }
}
