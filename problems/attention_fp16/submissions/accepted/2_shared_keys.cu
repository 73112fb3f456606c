// expect: accepted
//
// Attention in half precision, step 2: tiles of K and V in shared memory, and a word for each lane.
//
// Added to step 1: the eight warps of a block share a tile of 32 rows of K and of V. Each lane computes the score of one
// word of the tile by itself, so that 32 words need one correction and ten shuffles instead of 32 and 160. A row of the
// tile is two halves longer than needed: the lanes, each in a row of its own, then read from different banks. Expect
// twice the speed.

#include <cuda_fp16.h>

#define WARPS 8
#define MOST 128
#define WORDS 32

__global__ void attention_fp16_kernel(const half* __restrict__ Q, const half* __restrict__ K,
                                      const half* __restrict__ V, half* __restrict__ output, int H, int N, int D) {
    __shared__ half2 keys[WORDS][MOST / 2 + 1];
    __shared__ half values[WORDS][MOST];
    __shared__ half2 queries[WARPS][MOST / 2];
    int lane = threadIdx.x;
    int warp = threadIdx.y;
    int row = blockIdx.x * WARPS + warp;
    int last = min(N, (int)(blockIdx.x + 1) * WARPS);
    int seen = row < N ? row + 1 : 0;
    int pairs = (D + 1) / 2;
    size_t head = (size_t)blockIdx.y * N * D;
    float root = sqrtf((float)D);
    float mean[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    float largest = -INFINITY;
    float sum = 0.0f;
    for (int d = lane; d < 2 * pairs; d += 32) {
        ((half*)queries[warp])[d] = row < N && d < D ? Q[head + row * D + d] : __float2half(0.0f);
    }
    for (int first = 0; first < last; first += WORDS) {
        int words = min(WORDS, N - first);
        __syncthreads();
        for (int k = warp; k < words; k += WARPS) {
            for (int d = lane; d < 2 * pairs; d += 32) {
                bool inside = d < D;
                ((half*)keys[k])[d] = inside ? K[head + (first + k) * D + d] : __float2half(0.0f);
                values[k][d] = inside ? V[head + (first + k) * D + d] : __float2half(0.0f);
            }
        }
        __syncthreads();
        int mine = first + lane;
        float score = -INFINITY;
        if (mine < seen) {
            score = 0.0f;
            for (int d = 0; d < pairs; d++) {
                float2 q = __half22float2(queries[warp][d]);
                float2 k = __half22float2(keys[lane][d]);
                score += q.x * k.x + q.y * k.y;
            }
            score /= root;
        }
        float larger = fmaxf(largest, score);
        for (int distance = 16; distance > 0; distance /= 2) {
            larger = fmaxf(larger, __shfl_xor_sync(0xffffffff, larger, distance));
        }
        if (larger > -INFINITY) {
            float correction = expf(largest - larger);
            float weight = expf(score - larger);
            float together = weight;
            for (int distance = 16; distance > 0; distance /= 2) {
                together += __shfl_xor_sync(0xffffffff, together, distance);
            }
            sum = sum * correction + together;
#pragma unroll
            for (int part = 0; part < 4; part++) {
                mean[part] *= correction;
            }
            for (int j = 0; j < words; j++) {
                float p = __shfl_sync(0xffffffff, weight, j);
#pragma unroll
                for (int part = 0; part < 4; part++) {
                    int d = part * 32 + lane;
                    mean[part] += d < D ? p * __half2float(values[j][d]) : 0.0f;
                }
            }
            largest = larger;
        }
    }
#pragma unroll
    for (int part = 0; part < 4; part++) {
        int d = part * 32 + lane;
        if (row < N && d < D) {
            output[head + row * D + d] = __float2half(mean[part] / sum);
        }
    }
}
