// expect: accepted
//
// Merge sort, step 3: each thread merges eleven pairs in order, found by a search along its diagonal.
//
// Added to step 2: results are divided into equal shares, for blocks and then for threads. Where a share begins in both
// runs is one binary search (Green, McColl and Bader, "GPU merge path", 2012), by a warp with 32 probes at a time in
// global memory, by a thread in shared memory. So a pair is read once at a level and compared once, and neighbouring
// threads read and write neighbouring pairs. Tiles of 5632 pairs leave twelve levels for 16 million keys, each of which
// moves 16 bytes a pair: some 210 bytes in all. Eleven is odd, so that threads begin in different banks.

#include <cuda_runtime.h>

#define BLOCK 512

constexpr int EACH = 11;
constexpr int TILE = BLOCK * EACH;
constexpr unsigned ALL = 0xffffffffu;

using Pair = unsigned long long;

// Pairs in the order of their keys, then of their places: a flipped sign makes negative keys the smaller ones.
__device__ __forceinline__ Pair pair_of(int key, int place) {
    return (Pair)((unsigned)key ^ 0x80000000u) << 32 | (unsigned)place;
}

// How many of the first `diagonal` pairs of the merged run are from `a`.
__device__ __forceinline__ int split(const Pair* a, int a_length, const Pair* b, int b_length, int diagonal) {
    int low = max(0, diagonal - b_length);
    int high = min(diagonal, a_length);
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] < b[diagonal - 1 - middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The same by a whole warp: five steps where one thread takes 25.
__device__ int split_by_warp(const Pair* a, int a_length, const Pair* b, int b_length, int diagonal) {
    int low = max(0, diagonal - b_length);
    int high = min(diagonal, a_length);
    while (low < high) {
        int step = (high - low + 31) / 32;
        int probe = low + (int)(threadIdx.x % 32) * step;
        int before = __popc(__ballot_sync(ALL, probe < high && a[probe] < b[diagonal - 1 - probe]));
        if (before == 0) {
            return low;
        }
        high = min(high, low + before * step);
        low += (before - 1) * step + 1;
    }
    return low;
}

// The EACH pairs of the merged run from `diagonal` on, or fewer at its end.
__device__ __forceinline__ void merge_share(const Pair* a, int a_length, const Pair* b, int b_length, int diagonal,
                                            Pair (&x)[EACH]) {
    int i = split(a, a_length, b, b_length, min(diagonal, a_length + b_length));
    int j = diagonal - i;
    Pair of_a = i < a_length ? a[i] : ~0ull;
    Pair of_b = j < b_length ? b[j] : ~0ull;
#pragma unroll
    for (int m = 0; m < EACH; m++) {
        if (of_a < of_b) {
            x[m] = of_a;
            i++;
            of_a = i < a_length ? a[i] : ~0ull;
        } else {
            x[m] = of_b;
            j++;
            of_b = j < b_length ? b[j] : ~0ull;
        }
    }
}

__device__ __forceinline__ void put(Pair* tile, const Pair (&x)[EACH]) {
#pragma unroll
    for (int m = 0; m < EACH; m++) {
        tile[threadIdx.x * EACH + m] = x[m];
    }
}

// A tile to the next buffer, or at last to the two results.
template <bool LAST>
__device__ __forceinline__ void store(const Pair* tile, int start, int length, Pair* to, int* sorted_keys,
                                      int* places) {
    for (int i = threadIdx.x; i < length; i += BLOCK) {
        if (LAST) {
            sorted_keys[start + i] = (int)((unsigned)(tile[i] >> 32) ^ 0x80000000u);
            places[start + i] = (int)tile[i];
        } else {
            to[start + i] = tile[i];
        }
    }
}

template <bool LAST>
__global__ void __launch_bounds__(BLOCK)
    sort_tiles(const int* __restrict__ keys, Pair* to, int* sorted_keys, int* places, int N) {
    __shared__ Pair tile[TILE];
    int start = blockIdx.x * TILE;
    int length = min(TILE, N - start);
    for (int i = threadIdx.x; i < TILE; i += BLOCK) {
        // What lies behind the end is larger than every pair.
        tile[i] = i < length ? pair_of(keys[start + i], start + i) : ~0ull;
    }
    __syncthreads();
    Pair x[EACH];
#pragma unroll
    for (int m = 0; m < EACH; m++) {
        x[m] = tile[threadIdx.x * EACH + m];
    }
#pragma unroll
    for (int round = 0; round < EACH; round++) {
#pragma unroll
        for (int m = round % 2; m + 1 < EACH; m += 2) {
            Pair smaller = min(x[m], x[m + 1]);
            x[m + 1] = max(x[m], x[m + 1]);
            x[m] = smaller;
        }
    }
    // A tile with few pairs needs no more levels than these.
    for (int threads = 1; threads < BLOCK && threads * EACH < length; threads *= 2) {
        put(tile, x);
        __syncthreads();
        int first = threadIdx.x & -(2 * threads);
        const Pair* a = tile + first * EACH;
        merge_share(a, threads * EACH, a + threads * EACH, threads * EACH, (threadIdx.x - first) * EACH, x);
        __syncthreads();
    }
    put(tile, x);
    __syncthreads();
    store<LAST>(tile, start, length, to, sorted_keys, places);
}

template <bool LAST>
__global__ void __launch_bounds__(BLOCK)
    merge(const Pair* __restrict__ from, Pair* to, int* sorted_keys, int* places, int N, int width) {
    __shared__ Pair tile[TILE];
    __shared__ int bounds[2];
    int start = blockIdx.x * TILE;
    int length = min(TILE, N - start);
    int base = start / (2 * width) * (2 * width);
    const Pair* a = from + base;
    int a_length = min(width, N - base);
    const Pair* b = a + a_length;
    int b_length = min(width, N - base - a_length);
    int warp = threadIdx.x / 32;
    if (warp < 2) {
        bounds[warp] = split_by_warp(a, a_length, b, b_length, start - base + (warp == 0 ? 0 : length));
    }
    __syncthreads();
    int from_a = bounds[1] - bounds[0];
    int b_start = start - base - bounds[0];
    for (int i = threadIdx.x; i < length; i += BLOCK) {
        tile[i] = i < from_a ? a[bounds[0] + i] : b[b_start + i - from_a];
    }
    __syncthreads();
    Pair x[EACH];
    merge_share(tile, from_a, tile + from_a, length - from_a, threadIdx.x * EACH, x);
    __syncthreads();
    put(tile, x);
    __syncthreads();
    store<LAST>(tile, start, length, to, sorted_keys, places);
}

extern "C" void solve(const int* keys, int* sorted_keys, int* places, int N) {
    int tiles = (N + TILE - 1) / TILE;
    if (tiles == 1) {
        sort_tiles<true><<<1, BLOCK>>>(keys, nullptr, sorted_keys, places, N);
        return;
    }
    Pair* from;
    Pair* to;
    cudaMalloc(&from, N * sizeof(Pair));
    cudaMalloc(&to, N * sizeof(Pair));
    sort_tiles<false><<<tiles, BLOCK>>>(keys, from, sorted_keys, places, N);
    int width = TILE;
    for (; width < N - width; width *= 2) {
        merge<false><<<tiles, BLOCK>>>(from, to, sorted_keys, places, N, width);
        Pair* held = from;
        from = to;
        to = held;
    }
    merge<true><<<tiles, BLOCK>>>(from, to, sorted_keys, places, N, width);
    cudaFree(from);
    cudaFree(to);
}
