// expect: accepted
//
// 2D stencil, step 3: every thread has eight rows of a column, and asks for all of them at once.
//
// Added to step 2: no shared memory, no barrier. A thread's ten loads, for eight cells, do not wait for each other, and
// bytes under way are what fills the memory. Left and right neighbours come from the lanes beside it by shuffles; only
// the lanes at the ends of a warp load theirs. The warps of a block lie side by side: where rows begin anywhere, a
// warp's 128 bytes begin and end within a sector of 32, and the rest of that comes from the next warp at the same time.

#include <cuda_runtime.h>

#define COLUMNS 32
#define WARPS 8
#define ROWS 8

__global__ void __launch_bounds__(COLUMNS * WARPS)
    stencil_rows(const float* __restrict__ input, float* __restrict__ output, int H, int W) {
    const int from = (blockIdx.x * WARPS + threadIdx.y) * COLUMNS;
    const int top = blockIdx.y * ROWS;
    if (from >= W) {
        return;
    }
    const int column = from + threadIdx.x;
    const bool there = column < W;
    // Of the last warp of a row some lanes have no cell, and take part in the shuffles all the same.
    const float* cells = input + (there ? column : W - 1);
    const bool first = threadIdx.x == 0 && column > 0;
    const bool last = threadIdx.x == COLUMNS - 1 && column < W - 1;

    float kept[ROWS + 2];
    float edge[ROWS];
#pragma unroll
    for (int k = 0; k < ROWS + 2; k++) {
        const int row = min(max(top + k - 1, 0), H - 1);
        kept[k] = cells[(size_t)row * W];
    }
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        edge[k] = 0.0f;
        if ((first || last) && top + k < H) {
            edge[k] = cells[(ptrdiff_t)(top + k) * W + (first ? -1 : 1)];
        }
    }
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        const int row = top + k;
        const float here = kept[k + 1];
        float left = __shfl_up_sync(0xffffffff, here, 1);
        float right = __shfl_down_sync(0xffffffff, here, 1);
        left = first ? edge[k] : left;
        right = last ? edge[k] : right;
        if (there && row < H) {
            const bool rim = row == 0 || row == H - 1 || column == 0 || column == W - 1;
            output[(size_t)row * W + column] = rim ? here : 0.25f * (kept[k] + kept[k + 2] + left + right);
        }
    }
}

extern "C" void solve(const float* input, float* output, int H, int W) {
    dim3 block(COLUMNS, WARPS);
    dim3 grid((W + WARPS * COLUMNS - 1) / (WARPS * COLUMNS), (H + ROWS - 1) / ROWS);
    stencil_rows<<<grid, block>>>(input, output, H, W);
}
