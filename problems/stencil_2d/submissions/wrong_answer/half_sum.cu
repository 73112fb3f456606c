// expect: wrong_answer low_precision
//
// 2D stencil that adds halves.
//
// The mean of four temperatures needs no 24 bits, the student thought. After a thousand steps it does.

#include <cuda_fp16.h>

__global__ void stencil_kernel(const float* input, float* output, int H, int W) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < H && column < W) {
        int i = row * W + column;
        if (row == 0 || row == H - 1 || column == 0 || column == W - 1) {
            output[i] = input[i];
        } else {
            __half vertical = __hadd(__float2half(input[i - W]), __float2half(input[i + W]));
            __half horizontal = __hadd(__float2half(input[i - 1]), __float2half(input[i + 1]));
            output[i] = 0.25f * __half2float(__hadd(vertical, horizontal));
        }
    }
}
