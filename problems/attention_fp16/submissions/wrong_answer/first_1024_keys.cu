// expect: wrong_answer wrong_value
//
// Attention in half precision to the first 1,024 keys.
//
// Later rows see more.

#include <cuda_fp16.h>

#define WARPS 4

__global__ void attention_fp16_kernel(const half* Q, const half* K, const half* V, half* output, int H, int N, int D) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    int lane = threadIdx.x;
    if (row >= N) {
        return;
    }
    size_t head = (size_t)blockIdx.y * N * D;
    float root = sqrtf((float)D);
    float q[4];
    float mean[4];
#pragma unroll
    for (int part = 0; part < 4; part++) {
        int d = part * 32 + lane;
        q[part] = d < D ? __half2float(Q[head + row * D + d]) : 0.0f;
        mean[part] = 0.0f;
    }
    float largest = -INFINITY;
    float sum = 0.0f;
    for (int j = 0; j <= min(row, 1023); j++) {
        float score = 0.0f;
#pragma unroll
        for (int part = 0; part < 4; part++) {
            int d = part * 32 + lane;
            score += d < D ? q[part] * __half2float(K[head + j * D + d]) : 0.0f;
        }
        for (int distance = 16; distance > 0; distance /= 2) {
            score += __shfl_xor_sync(0xffffffff, score, distance);
        }
        score /= root;
        float larger = fmaxf(largest, score);
        float correction = expf(largest - larger);
        float weight = expf(score - larger);
        sum = sum * correction + weight;
#pragma unroll
        for (int part = 0; part < 4; part++) {
            int d = part * 32 + lane;
            mean[part] = mean[part] * correction + (d < D ? weight * __half2float(V[head + j * D + d]) : 0.0f);
        }
        largest = larger;
    }
#pragma unroll
    for (int part = 0; part < 4; part++) {
        int d = part * 32 + lane;
        if (d < D) {
            output[head + row * D + d] = __float2half(mean[part] / sum);
        }
    }
}
