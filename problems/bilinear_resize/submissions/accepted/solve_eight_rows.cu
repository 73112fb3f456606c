// expect: accepted
//
// Bilinear resize with host code of its own: eight rows a thread, two lines of the input in registers.
//
// Added to step 2: x0, x1 and fx are computed once for eight new pixels. The mean along a row is kept as long as the
// next pixel needs the same row: where the image doubles, half of the reads and of the work are saved. Every warp
// reads along rows and stores 128 bytes at once.

#include <cuda_runtime.h>

constexpr int COLUMNS = 32;
constexpr int ROWS = 8;
constexpr int OUTPUTS = 8;

__global__ void __launch_bounds__(COLUMNS * ROWS)
    resize(const float* __restrict__ input, float* __restrict__ output, int H, int W, int OH, int OW, float rows,
           float columns) {
    int j = blockIdx.x * COLUMNS + threadIdx.x;
    int first = (blockIdx.y * ROWS + threadIdx.y) * OUTPUTS;
    if (first >= OH || j >= OW) {
        return;
    }
    float x = fminf(fmaxf(fmaf(j + 0.5f, columns, -0.5f), 0.0f), W - 1.0f);
    int x0 = (int)x;
    int x1 = min(x0 + 1, W - 1);
    float fx = x - x0;
    auto mean_of_row = [&](int y) {
        const float* row = input + (size_t)y * W;
        float left = row[x0];
        return left + fx * (row[x1] - left);
    };

    // The means of rows `known` and `known` + 1, if that is one.
    int known = -2;
    float upper = 0.0f;
    float lower = 0.0f;
#pragma unroll
    for (int k = 0; k < OUTPUTS; k++) {
        int i = first + k;
        if (i < OH) {
            float y = fminf(fmaxf(fmaf(i + 0.5f, rows, -0.5f), 0.0f), H - 1.0f);
            int y0 = (int)y;
            if (y0 != known) {
                upper = y0 == known + 1 ? lower : mean_of_row(y0);
                lower = mean_of_row(min(y0 + 1, H - 1));
                known = y0;
            }
            output[(size_t)i * OW + j] = upper + (y - y0) * (lower - upper);
        }
    }
}

extern "C" void solve(const float* input, float* output, int H, int W, int OH, int OW) {
    dim3 block(COLUMNS, ROWS);
    dim3 grid((OW + COLUMNS - 1) / COLUMNS, (OH + ROWS * OUTPUTS - 1) / (ROWS * OUTPUTS));
    resize<<<grid, block>>>(input, output, H, W, OH, OW, (float)H / OH, (float)W / OW);
}
