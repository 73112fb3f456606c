// expect: accepted
//
// 2D stencil, step 3: a thread walks down a column.
//
// Added to step 2: the cells above, at and below stay in registers while the thread moves down, so that it reads
// one new cell a row, and its neighbours left and right, which the threads beside it have just read. Only the first
// thread row of each block works, TILE rows long: fewer threads, each with more to do.

#define TILE 32

__global__ void stencil_kernel(const float* __restrict__ input, float* __restrict__ output, int H, int W) {
    int column = blockIdx.x * TILE + threadIdx.x;
    int first = blockIdx.y * TILE;
    if (threadIdx.y > 0 || column >= W) {
        return;
    }
    float above = first > 0 ? input[(first - 1) * W + column] : 0.0f;
    float here = input[first * W + column];
    for (int row = first; row < min(first + TILE, H); row++) {
        float below = row + 1 < H ? input[(row + 1) * W + column] : 0.0f;
        float result = here;
        if (row > 0 && row < H - 1 && column > 0 && column < W - 1) {
            result = 0.25f * (above + below + input[row * W + column - 1] + input[row * W + column + 1]);
        }
        output[row * W + column] = result;
        above = here;
        here = below;
    }
}
