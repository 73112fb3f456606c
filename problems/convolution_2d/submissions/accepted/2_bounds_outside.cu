// expect: accepted
//
// 2D convolution, step 2: the bounds leave the loops.
//
// Added to step 1: which weights meet an element of the image follows from the position once; within these bounds no
// product asks anything. Pointers move by additions, and a tile whose rows are a warp wide makes a read of a warp one
// piece of 128 bytes. A tile in shared memory does not pay yet: with 3 x 3 weights L1 serves the neighbours, and copying
// costs more instructions than nine products. Expect a third less time.

#define TILE 32

__global__ void __launch_bounds__(TILE * TILE)
    convolution_kernel(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output,
                       int H, int W, int R, int S) {
    const int x = blockIdx.x * TILE + threadIdx.x;
    const int y = blockIdx.y * TILE + threadIdx.y;
    if (y >= H || x >= W) {
        return;
    }
    const int top = y - R / 2;
    const int left = x - S / 2;
    const int first_r = max(0, -top);
    const int last_r = min(R, H - top);
    const int first_s = max(0, -left);
    const int last_s = min(S, W - left);
    float sum = 0.0f;
#pragma unroll 1
    for (int r = first_r; r < last_r; ++r) {
        const float* element = input + (top + r) * W + left;
        const float* weight = weights + r * S;
#pragma unroll 4
        for (int s = first_s; s < last_s; ++s) {
            sum = fmaf(weight[s], element[s], sum);
        }
    }
    output[y * W + x] = sum;
}
