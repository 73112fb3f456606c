// expect: wrong_answer unwritten_output
//
// Grouped matrix multiplication with T / 64 tiles, rounded up.
//
// Each group may end in a tile that is not full: with many groups there are more.

#include <cuda_runtime.h>

#define THREADS 128
#define SIDE 64   // of the block's part of Y
#define DEPTH 16  // of a step in K

__global__ void __launch_bounds__(THREADS)
    multiply(const float* __restrict__ X, const float* __restrict__ W, const int* __restrict__ offsets,
             float* __restrict__ Y, int G, int K, int N) {
    // One column more than a tile has keeps the stores of a warp in different banks.
    __shared__ float x[DEPTH][SIDE + 1];
    __shared__ alignas(16) float w[DEPTH][SIDE];

    // The group and the rows of tile blockIdx.y, counted through all groups.
    int g = 0;
    int tile = blockIdx.y;
    for (; g < G; g++) {
        const int tiles = (offsets[g + 1] - offsets[g] + SIDE - 1) / SIDE;
        if (tile < tiles) {
            break;
        }
        tile -= tiles;
    }
    if (g == G) {
        return;
    }
    const int first = offsets[g] + tile * SIDE;
    const int rows = min(SIDE, offsets[g + 1] - first);
    const int column = blockIdx.x * SIDE;
    const float* matrix = W + (size_t)g * K * N;

    const int tx = threadIdx.x % 16 * 4;
    const int ty = threadIdx.x / 16 * 8;
    float sums[8][4] = {};
    float next_x[8];
    float next_w[8];

    auto load = [&](int start) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const int e = i * THREADS + threadIdx.x;
            const int row = e / DEPTH;
            const int k = start + e % DEPTH;
            next_x[i] = row < rows && k < K ? X[(size_t)(first + row) * K + k] : 0.0f;
            const int n = column + e % SIDE;
            const int k_of_w = start + e / SIDE;
            next_w[i] = n < N && k_of_w < K ? matrix[(size_t)k_of_w * N + n] : 0.0f;
        }
    };

    load(0);
    for (int start = 0; start < K; start += DEPTH) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const int e = i * THREADS + threadIdx.x;
            x[e % DEPTH][e / DEPTH] = next_x[i];
            w[e / SIDE][e % SIDE] = next_w[i];
        }
        __syncthreads();
        if (start + DEPTH < K) {
            load(start + DEPTH);
        }
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float left[8];
            const float4 right = *reinterpret_cast<const float4*>(&w[k][tx]);
#pragma unroll
            for (int r = 0; r < 8; r++) {
                left[r] = x[k][ty + r];
            }
#pragma unroll
            for (int r = 0; r < 8; r++) {
                sums[r][0] += left[r] * right.x;
                sums[r][1] += left[r] * right.y;
                sums[r][2] += left[r] * right.z;
                sums[r][3] += left[r] * right.w;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 8; r++) {
#pragma unroll
        for (int c = 0; c < 4; c++) {
            if (ty + r < rows && column + tx + c < N) {
                Y[(size_t)(first + ty + r) * N + column + tx + c] = sums[r][c];
            }
        }
    }
}

extern "C" void solve(const float* X, const float* W, const int* offsets, float* Y, int T, int G, int K, int N) {
    dim3 grid((N + SIDE - 1) / SIDE, (T + SIDE - 1) / SIDE);
    multiply<<<grid, THREADS>>>(X, W, offsets, Y, G, K, N);
}
