// expect: wrong_answer
//
// Matrix times vector with a vector in bfloat16.
//
// The student wanted to halve the reads of x, which are few beside those of A. A bfloat16 keeps 8 significant bits of
// 24.

#include <cuda_bf16.h>

__global__ void gemv_kernel(const float* A, const float* x, float* y, int M, int N) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row < M) {
        float sum = 0.0f;
        for (int j = lane; j < N; j += 32) {
            sum += A[row * N + j] * __bfloat162float(__float2bfloat16(x[j]));
        }
        for (int distance = 16; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(0xffffffffu, sum, distance);
        }
        if (lane == 0) {
            y[row] = sum;
        }
    }
}
