// expect: accepted
//
// Sparse matrix times vector, step 3: a block takes the entries of 128 rows as one stream.
//
// Added to step 2: rows are of any length, so that lanes of a row are idle or go round several times, and each round
// waits for a column and then for x. Here the block's threads read 2048 neighbouring entries, whoever's they are: 16
// columns each, then 16 elements of x, none of which waits for another. The products go to shared memory, and a
// thread for each row adds up its own. Rows with more than 32 products there are added up by their warp. Expect half the
// time of step 2.

#include <cuda_runtime.h>

#define BLOCK 128
#define EACH 16
#define CHUNK (BLOCK * EACH)
#define MANY 32
#define ALL 0xffffffffu

__global__ void __launch_bounds__(BLOCK)
    multiply(const int* __restrict__ offsets, const int* __restrict__ columns, const float* __restrict__ values,
             const float* __restrict__ x, float* __restrict__ y, int M) {
    __shared__ float products[CHUNK];
    const int row = blockIdx.x * BLOCK + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const int first = offsets[blockIdx.x * BLOCK];
    const int last = offsets[min((int)(blockIdx.x + 1) * BLOCK, M)];
    const int begin = offsets[min(row, M)];
    const int end = offsets[min(row + 1, M)];
    float sum = 0.0f;
    for (int start = first; start < last; start += CHUNK) {
        int column[EACH];
        float value[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int e = start + k * BLOCK + threadIdx.x;
            column[k] = e < last ? __ldcs(columns + e) : -1;
            value[k] = e < last ? __ldcs(values + e) : 0.0f;
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            value[k] = column[k] >= 0 ? value[k] * x[column[k]] : 0.0f;
        }
        // Of the chunk before, everybody has read what he needs.
        __syncthreads();
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            products[k * BLOCK + threadIdx.x] = value[k];
        }
        __syncthreads();

        const int from = max(begin - start, 0);
        const int to = min(end - start, CHUNK);
        unsigned many = __ballot_sync(ALL, to - from > MANY);
        if (to - from <= MANY) {
            for (int p = from; p < to; p++) {
                sum += products[p];
            }
        }
        while (many) {
            const int owner = __ffs(many) - 1;
            many &= many - 1;
            const int its_end = __shfl_sync(ALL, to, owner);
            float part = 0.0f;
            for (int p = __shfl_sync(ALL, from, owner) + lane; p < its_end; p += 32) {
                part += products[p];
            }
            for (int distance = 16; distance > 0; distance /= 2) {
                part += __shfl_xor_sync(ALL, part, distance);
            }
            sum += lane == owner ? part : 0.0f;
        }
    }
    if (row < M) {
        y[row] = sum;
    }
}

extern "C" void solve(const int* offsets, const int* columns, const float* values, const float* x, float* y, int M, int N,
                      int NNZ) {
    multiply<<<(M + BLOCK - 1) / BLOCK, BLOCK>>>(offsets, columns, values, x, y, M);
}
