// expect: wrong_answer
//
// 2D convolution with weights in half precision.
//
// A half keeps 11 of a float's 24 significant bits.

#include <cuda_fp16.h>

__global__ void convolution_kernel(const float* input, const float* weights, float* output, int H, int W, int R,
                                   int S) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < H && x < W) {
        float sum = 0.0f;
        for (int r = 0; r < R; ++r) {
            for (int s = 0; s < S; ++s) {
                int row = y + r - R / 2;
                int column = x + s - S / 2;
                if (row >= 0 && row < H && column >= 0 && column < W) {
                    sum += __half2float(__float2half(weights[r * S + s])) * input[row * W + column];
                }
            }
        }
        output[y * W + x] = sum;
    }
}
