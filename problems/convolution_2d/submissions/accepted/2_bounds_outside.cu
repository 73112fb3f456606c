// expect: accepted
//
// 2D convolution, step 2: the bounds leave the loops, and small loops disappear.
//
// Added to step 1: which weights meet an element of the image follows from the position once; within these bounds no
// product asks anything. Inside of the image, weights of 3 x 3, 5 x 5 and 7 x 7 have code of their own without a loop: each
// read has a fixed distance from its row's address. A tile in shared memory does not pay yet: with 3 x 3 weights L1 serves
// the neighbours, and copying costs more instructions than nine products. Expect a third less time.

#define TILE 32

// The sum at a place whose elements all exist, for SIDE x SIDE weights.
template <int SIDE>
__device__ __forceinline__ float inside(const float* __restrict__ weights, const float* __restrict__ corner, int W) {
    float sum = 0.0f;
#pragma unroll
    for (int r = 0; r < SIDE; ++r) {
#pragma unroll
        for (int s = 0; s < SIDE; ++s) {
            sum = fmaf(weights[r * SIDE + s], corner[s], sum);
        }
        corner += W;
    }
    return sum;
}

__device__ __forceinline__ float from_memory(const float* __restrict__ input, const float* __restrict__ weights, int x,
                                             int y, int H, int W, int R, int S) {
    const int top = y - R / 2;
    const int left = x - S / 2;
    if (R == S && top >= 0 && left >= 0 && top + R <= H && left + S <= W) {
        const float* corner = input + top * W + left;
        switch (R) {
            case 3: return inside<3>(weights, corner, W);
            case 5: return inside<5>(weights, corner, W);
            case 7: return inside<7>(weights, corner, W);
        }
    }
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
    return sum;
}

__global__ void __launch_bounds__(TILE * TILE)
    convolution_kernel(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output,
                       int H, int W, int R, int S) {
    const int x = blockIdx.x * TILE + threadIdx.x;
    const int y = blockIdx.y * TILE + threadIdx.y;
    if (y < H && x < W) {
        output[y * W + x] = from_memory(input, weights, x, y, H, W, R, S);
    }
}
