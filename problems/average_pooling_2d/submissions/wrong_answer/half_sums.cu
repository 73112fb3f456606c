// expect: wrong_answer
//
// 2D average pooling that adds up in halves.
//
// A half has eleven significant bits, so that neighbours around 4096 are 4 apart, and 16 such elements add up to more
// than the largest half.

#include <cuda_fp16.h>

__global__ void average_pooling_kernel(const float* input, float* output, int C, int H, int W, int K, int S, int P,
                                       int OH, int OW) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= OH || column >= OW) {
        return;
    }
    const float* plane = input + (size_t)blockIdx.z * H * W;
    int top = max(row * S - P, 0);
    int bottom = min(row * S - P + K, H);
    int left = max(column * S - P, 0);
    int right = min(column * S - P + K, W);
    half sum = __float2half(0.0f);
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++) {
            sum = __hadd(sum, __float2half(plane[y * W + x]));
        }
    }
    output[((size_t)blockIdx.z * OH + row) * OW + column] = __half2float(sum) / ((bottom - top) * (right - left));
}
