// expect: accepted
//
// Run-length encoding, step 3: one pass with look-back, and no atomics.
//
// Added to step 2: what a part of the array hands on is how many runs begin in it and the length of the last one so
// far. Two parts are joined as those of a segmented scan are. A tile publishes its part in one word of 64 bits, and its
// first warp joins those of the tiles to its left, 32 at a time, until one of them knows all up to there (see the
// problem exclusive_scan). Whoever has the last element of a run puts it into shared memory, from where the tile's runs
// are written side by side. The inputs are read once; a second launch writes the zeros.

#include <cuda_runtime.h>

#define BLOCK 256
#define EACH 8
#define WARPS (BLOCK / 32)
#define TILE (BLOCK * EACH)
#define ALL 0xffffffffu
// Words from one tile's to the next: 128 bytes. Loads of one line come one after the other, and many look at a tile.
#define APART 16

typedef unsigned long long Word;

constexpr Word OWN = 1ull << 62;    // the tile's part
constexpr Word TOTAL = 2ull << 62;  // that of the tile and all before it

struct Part {
    int heads;  // how many runs begin in it
    int length;  // of the last run, as far as it lies in this part
};

__device__ __forceinline__ Part join(Part left, Part right) {
    return {left.heads + right.heads, right.heads ? right.length : left.length + right.length};
}

__device__ __forceinline__ Word packed(Word kind, Part part) {
    return kind | (Word)part.heads << 32 | (unsigned)part.length;
}

__device__ __forceinline__ Part unpacked(Word word) { return {(int)(word >> 32 & 0x3fffffff), (int)(unsigned)word}; }

__device__ __forceinline__ Part from_below(Part part, int distance) {
    return {__shfl_up_sync(ALL, part.heads, distance), __shfl_up_sync(ALL, part.length, distance)};
}

__device__ __forceinline__ Part from_above(Part part, int distance) {
    return {__shfl_down_sync(ALL, part.heads, distance), __shfl_down_sync(ALL, part.length, distance)};
}

// Publishes the tile's part and returns that of all tiles before it. A whole warp calls it; lane 0 gets the result.
__device__ Part look_back(volatile Word* published, int tile, Part own) {
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        published[tile * APART] = packed(tile == 0 ? TOTAL : OWN, own);
    }
    Part before = {0, 0};
    for (int nearest = tile - 1; nearest >= 0; nearest -= 32) {
        Word word = TOTAL;
        if (nearest >= lane) {
            do {
                word = published[(nearest - lane) * APART];
            } while (word < OWN);
        }
        unsigned totals = __ballot_sync(ALL, word >= TOTAL);
        // Up to the first lane with a total. Those further up hold tiles further left.
        Part part = totals == 0 || lane < __ffs(totals) ? unpacked(word) : Part{0, 0};
        for (int distance = 1; distance < 32; distance *= 2) {
            Part left = from_above(part, distance);
            if (lane + distance < 32) {
                part = join(left, part);
            }
        }
        before = join(part, before);
        if (totals) {
            break;
        }
    }
    if (lane == 0 && tile > 0) {
        published[tile * APART] = packed(TOTAL, join(before, own));
    }
    return before;
}

__device__ __forceinline__ void load(const int* from, int first, int N, int (&to)[EACH]) {
    if (first + EACH <= N) {
#pragma unroll
        for (int k = 0; k < EACH; k += 4) {
            const int4 four = *reinterpret_cast<const int4*>(from + first + k);
            to[k] = four.x;
            to[k + 1] = four.y;
            to[k + 2] = four.z;
            to[k + 3] = four.w;
        }
        return;
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        to[k] = first + k < N ? from[first + k] : 0;
    }
}

__global__ void __launch_bounds__(BLOCK)
    add_up(const int* __restrict__ input, int* symbols, int* lengths, int* count, Word* published, unsigned* started,
           int N) {
    __shared__ Part warps[WARPS];
    __shared__ Part before_tile;
    __shared__ int number;
    __shared__ int begin, end;
    __shared__ int tile_symbols[TILE + 1];
    __shared__ int tile_lengths[TILE + 1];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        number = atomicAdd(started, 1u);
    }
    __syncthreads();
    const int tile = number;
    const int first = tile * TILE + threadIdx.x * EACH;
    const int length = min(EACH, N - first);

    int key[EACH];
    load(input, first, N, key);
    const int left_key = first > 0 && first <= N ? input[first - 1] : 0;
    const int right_key = first + EACH < N ? input[first + EACH] : 0;
    Part own = {0, 0};
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (k < length) {
            const int head = first + k == 0 || key[k] != (k == 0 ? left_key : key[k - 1]);
            own = join(own, {head, 1});
        }
    }

    Part scan = own;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const Part left = from_below(scan, distance);
        scan = lane >= distance ? join(left, scan) : scan;
    }
    if (lane == 31) {
        warps[warp] = scan;
    }
    Part before = from_below(scan, 1);
    before = lane == 0 ? Part{0, 0} : before;
    __syncthreads();
    Part of_warps = {0, 0};
    Part of_tile = {0, 0};
    for (int w = 0; w < WARPS; w++) {
        of_warps = w == warp ? of_tile : of_warps;
        of_tile = join(of_tile, warps[w]);
    }
    if (warp == 0) {
        const Part part = look_back(published, tile, of_tile);
        if (lane == 0) {
            before_tile = part;
            if (tile == gridDim.x - 1) {
                *count = part.heads + of_tile.heads;
            }
        }
    }
    __syncthreads();

    // Runs that end in this tile, side by side: the one that came in has place 0.
    const int first_of_tile = tile * TILE;
    const int known = before_tile.heads;
    Part run = join(join(before_tile, of_warps), before);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (k < length) {
            const int i = first + k;
            const int head = i == 0 || key[k] != (k == 0 ? left_key : key[k - 1]);
            run = join(run, {head, 1});
            const int next = k + 1 < EACH ? key[k + 1] : right_key;
            if (i == N - 1 || key[k] != next) {
                tile_symbols[run.heads - known] = key[k];
                tile_lengths[run.heads - known] = run.length;
            }
            if (i == first_of_tile) {
                begin = head;
            }
            if (i == N - 1 || i == first_of_tile + TILE - 1) {
                end = run.heads - known + (i == N - 1 || key[k] != next);
            }
        }
    }
    __syncthreads();
    for (int place = begin + threadIdx.x; place < end; place += BLOCK) {
        symbols[known - 1 + place] = tile_symbols[place];
        lengths[known - 1 + place] = tile_lengths[place];
    }
}

__global__ void fill(int* symbols, int* lengths, const int* count, int N) {
    for (int i = *count + blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        symbols[i] = 0;
        lengths[i] = 0;
    }
}

extern "C" void solve(const int* input, int* symbols, int* lengths, int* count, int N) {
    int tiles = (N + TILE - 1) / TILE;
    Word* published;
    cudaMalloc(&published, (tiles * APART + 1) * sizeof(Word));
    cudaMemset(published, 0, (tiles * APART + 1) * sizeof(Word));
    add_up<<<tiles, BLOCK>>>(input, symbols, lengths, count, published,
                             reinterpret_cast<unsigned*>(published + tiles * APART), N);
    fill<<<min((N + BLOCK - 1) / BLOCK, 1024), BLOCK>>>(symbols, lengths, count, N);
    cudaFree(published);
}
