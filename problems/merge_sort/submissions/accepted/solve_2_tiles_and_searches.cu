// expect: accepted
//
// Merge sort, step 2: tiles in shared memory, then a launch for each level.
//
// Added to step 1: a key and its place are one number of 64 bits, the key in the upper half, so that no two are equal
// and a comparison reads one number. Blocks sort tiles of 1024 by a bitonic network in shared memory: ten levels in one
// launch. At each level that is left all blocks search, and a key is read from memory once for every level below it.
// Expect a hundred times the speed of step 1.

#include <cuda_runtime.h>

#define BLOCK 512

constexpr int TILE = 2 * BLOCK;

using Pair = unsigned long long;

// Pairs in the order of their keys, then of their places: a flipped sign makes negative keys the smaller ones.
__device__ __forceinline__ Pair pair_of(int key, int place) {
    return (Pair)((unsigned)key ^ 0x80000000u) << 32 | (unsigned)place;
}

__global__ void __launch_bounds__(BLOCK) sort_tiles(const int* __restrict__ keys, Pair* __restrict__ pairs, int N) {
    __shared__ Pair tile[TILE];
    int start = blockIdx.x * TILE;
    for (int i = threadIdx.x; i < TILE; i += BLOCK) {
        // What lies behind the end is larger than every pair.
        tile[i] = start + i < N ? pair_of(keys[start + i], start + i) : ~0ull;
    }
    __syncthreads();
    for (int length = 2; length <= TILE; length *= 2) {
        for (int distance = length / 2; distance > 0; distance /= 2) {
            int low = 2 * threadIdx.x - (threadIdx.x & (distance - 1));
            int high = distance == length / 2 ? low ^ (length - 1) : low + distance;
            Pair first = tile[low];
            Pair second = tile[high];
            if (first > second) {
                tile[low] = second;
                tile[high] = first;
            }
            __syncthreads();
        }
    }
    for (int i = threadIdx.x; i < TILE && start + i < N; i += BLOCK) {
        pairs[start + i] = tile[i];
    }
}

__global__ void merge(const Pair* __restrict__ from, Pair* __restrict__ to, int N, int width) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= N) {
        return;
    }
    Pair pair = from[i];
    int start = i / (2 * width) * (2 * width);
    bool left = i < start + width;
    int other = left ? min(start + width, N) : start;
    int low = other;
    int high = min(other + width, N);
    while (low < high) {
        int middle = (low + high) / 2;
        if (from[middle] < pair) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    int own = left ? i - start : i - start - width;
    to[start + own + low - other] = pair;
}

__global__ void take_apart(const Pair* __restrict__ pairs, int* __restrict__ sorted_keys, int* __restrict__ places,
                           int N) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < N) {
        sorted_keys[i] = (int)((unsigned)(pairs[i] >> 32) ^ 0x80000000u);
        places[i] = (int)pairs[i];
    }
}

extern "C" void solve(const int* keys, int* sorted_keys, int* places, int N) {
    Pair* from;
    Pair* to;
    cudaMalloc(&from, N * sizeof(Pair));
    cudaMalloc(&to, N * sizeof(Pair));
    int blocks = (N + BLOCK - 1) / BLOCK;
    sort_tiles<<<(N + TILE - 1) / TILE, BLOCK>>>(keys, from, N);
    for (int width = TILE; width < N; width *= 2) {
        merge<<<blocks, BLOCK>>>(from, to, N, width);
        Pair* held = from;
        from = to;
        to = held;
    }
    take_apart<<<blocks, BLOCK>>>(from, sorted_keys, places, N);
    cudaFree(from);
    cudaFree(to);
}
