// expect: accepted
//
// Stream compaction, step 3: one pass with look-back, then the zeros.
//
// Added to step 2: a tile publishes its count, and its first warp adds up those of the tiles to its left, 32 at a time,
// until one of them knows the count of all up to there (see the problem exclusive_scan). The elements stay in registers
// meanwhile. They are collected in shared memory, so that neighbouring threads write to neighbouring places. A second
// launch writes zeros from the count on: 8 bytes move for each element, no more than needed.

#include <cuda_runtime.h>

#define BLOCK 256
#define EACH 16
#define WARPS (BLOCK / 32)
#define TILE (BLOCK * EACH)
#define ALL 0xffffffffu
// Words from one tile's to the next: 128 bytes. Loads of one line come one after the other, and many look at a tile.
#define APART 16

typedef unsigned long long Word;

constexpr Word OWN = 1ull << 32;    // the tile's count
constexpr Word TOTAL = 2ull << 32;  // that of the tile and all before it

// Publishes the tile's count and returns that of all tiles before it. A whole warp calls it.
__device__ int look_back(volatile Word* published, int tile, int own) {
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        published[tile * APART] = (tile == 0 ? TOTAL : OWN) | (unsigned)own;
    }
    int before = 0;
    for (int nearest = tile - 1; nearest >= 0; nearest -= 32) {
        Word word = TOTAL;
        if (nearest >= lane) {
            do {
                word = published[(nearest - lane) * APART];
            } while (word < OWN);
        }
        unsigned totals = __ballot_sync(ALL, word >= TOTAL);
        // Up to the first lane with a total.
        int value = totals == 0 || lane < __ffs(totals) ? (int)(unsigned)word : 0;
        for (int distance = 16; distance > 0; distance /= 2) {
            value += __shfl_xor_sync(ALL, value, distance);
        }
        before += value;
        if (totals) {
            break;
        }
    }
    if (lane == 0 && tile > 0) {
        published[tile * APART] = TOTAL | (unsigned)(before + own);
    }
    return before;
}

__global__ void __launch_bounds__(BLOCK) compact(const float* __restrict__ input, float* __restrict__ output,
                                                 int* count, Word* published, unsigned* started, int N) {
    __shared__ float kept[TILE];
    __shared__ int warp_counts[WARPS];
    __shared__ int before_tile;
    __shared__ int number;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        number = atomicAdd(started, 1u);
    }
    __syncthreads();
    const int tile = number;
    const int first = tile * TILE + warp * (32 * EACH) + lane;

    float x[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        x[k] = first + 32 * k < N ? input[first + 32 * k] : 0.0f;
    }
    int in_warp = 0;
    int place[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const unsigned bits = __ballot_sync(ALL, x[k] > 0);
        place[k] = in_warp + __popc(bits & ((1u << lane) - 1));
        in_warp += __popc(bits);
    }
    if (lane == 0) {
        warp_counts[warp] = in_warp;
    }
    __syncthreads();
    int before_warp = 0;
    int in_tile = 0;
    for (int w = 0; w < WARPS; w++) {
        before_warp += w < warp ? warp_counts[w] : 0;
        in_tile += warp_counts[w];
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (x[k] > 0) {
            kept[before_warp + place[k]] = x[k];
        }
    }
    if (warp == 0) {
        const int sum = look_back(published, tile, in_tile);
        if (lane == 0) {
            before_tile = sum;
            if (tile == gridDim.x - 1) {
                *count = sum + in_tile;
            }
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < in_tile; k += BLOCK) {
        output[before_tile + k] = kept[k];
    }
}

__global__ void fill(float* output, const int* count, int N) {
    for (int i = *count + blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        output[i] = 0.0f;
    }
}

extern "C" void solve(const float* input, float* output, int* count, int N) {
    int tiles = (N + TILE - 1) / TILE;
    Word* published;
    cudaMalloc(&published, (tiles * APART + 1) * sizeof(Word));
    cudaMemset(published, 0, (tiles * APART + 1) * sizeof(Word));
    compact<<<tiles, BLOCK>>>(input, output, count, published,
                              reinterpret_cast<unsigned*>(published + tiles * APART), N);
    fill<<<min((N + BLOCK - 1) / BLOCK, 1024), BLOCK>>>(output, count, N);
    cudaFree(published);
}
