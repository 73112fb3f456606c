// expect: accepted
//
// 2D convolution, step 2: tile, halo and weights in shared memory.
//
// Added to step 1: the block copies the elements that it needs once, with zeros where the image has none, so that the
// loops over the weights need no comparison and no global memory. The halo makes for more elements than threads: each
// thread copies several, a block's width and height apart.

#define TILE 16
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
    for (int i = threadIdx.y * TILE + threadIdx.x; i < R * S; i += TILE * TILE) {
        shared_weights[i] = weights[i];
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
