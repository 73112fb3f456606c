// expect: wrong_answer unwritten_output
//
// 2D convolution whose grid has height and width swapped.
//
// x counts columns in the kernel, and the host made as many blocks along x as the height needs. A square image does not
// show it.

#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* weights, float* output, int H, int W, int R, int S) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < H && x < W) {
        float sum = 0.0f;
        for (int r = 0; r < R; ++r) {
            for (int s = 0; s < S; ++s) {
                int row = y + r - R / 2;
                int column = x + s - S / 2;
                if (row >= 0 && row < H && column >= 0 && column < W) {
                    sum += weights[r * S + s] * input[row * W + column];
                }
            }
        }
        output[y * W + x] = sum;
    }
}

extern "C" void solve(const float* input, const float* weights, float* output, int H, int W, int R, int S) {
    dim3 block(16, 16);
    dim3 grid((H + 15) / 16, (W + 15) / 16);
    convolve<<<grid, block>>>(input, weights, output, H, W, R, S);
}
