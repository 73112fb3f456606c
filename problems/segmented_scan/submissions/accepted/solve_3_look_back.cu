// expect: accepted
//
// Segmented scan, step 3: one pass, with look-back that heads cut short.
//
// Added to step 2: a tile publishes its sum in one word with what it is, and its first warp looks at the 32 tiles to
// its left at a time (Merrill and Garland, 2016). What follows a tile with a head does not depend on what comes before
// it, so such a tile publishes its final sum at once. Tiles are numbered as they start: those to the left are at work
// or done.
//
// A thread takes four neighbouring elements by one load, four times, and keeps them in registers: 12 bytes move for
// each element, no more than needed.

#include <cuda_runtime.h>

#define BLOCK 256
#define ROUNDS 4
#define WARPS (BLOCK / 32)
#define TILE (BLOCK * ROUNDS * 4)
#define ALL 0xffffffffu
// Words from one tile's to the next: 128 bytes. Loads of one line come one after the other, and many look at a tile.
#define APART 16

typedef unsigned long long Word;

constexpr Word OWN = 1ull << 32;    // the tile's sum, which goes on to the left
constexpr Word TOTAL = 2ull << 32;  // the running total at the tile's end

struct Part {
    int sum;   // from the last head on
    int head;  // whether there is one
};

__device__ __forceinline__ Part join(Part left, Part right) {
    return {right.head ? right.sum : left.sum + right.sum, left.head | right.head};
}

__device__ __forceinline__ int4 load(const int* from, int i, int N) {
    if (i + 3 < N) {
        return *reinterpret_cast<const int4*>(from + i);
    }
    return make_int4(i < N ? from[i] : 0, i + 1 < N ? from[i + 1] : 0, i + 2 < N ? from[i + 2] : 0, 0);
}

__device__ __forceinline__ void store(int* output, int i, int N, int4 four) {
    if (i + 3 < N) {
        *reinterpret_cast<int4*>(output + i) = four;
        return;
    }
    if (i < N) {
        output[i] = four.x;
    }
    if (i + 1 < N) {
        output[i + 1] = four.y;
    }
    if (i + 2 < N) {
        output[i + 2] = four.z;
    }
}

// Publishes the tile's part and returns the running total at the end of the tile before. A whole warp calls it.
__device__ int look_back(volatile Word* published, int tile, Part own) {
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        published[tile * APART] = (tile == 0 || own.head ? TOTAL : OWN) | (unsigned)own.sum;
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
    if (lane == 0 && tile > 0 && !own.head) {
        published[tile * APART] = TOTAL | (unsigned)(before + own.sum);
    }
    return before;
}

__global__ void __launch_bounds__(BLOCK) scan(const int* __restrict__ input, const int* __restrict__ heads,
                                              int* __restrict__ output, Word* published, unsigned* started, int N) {
    __shared__ Part warps[WARPS];
    __shared__ int before_tile;
    __shared__ int number;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        number = atomicAdd(started, 1u);
    }
    __syncthreads();
    const int tile = number;
    const int first = tile * TILE + warp * (ROUNDS * 128) + lane * 4;

    int4 values[ROUNDS];
    int4 flags[ROUNDS];
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        values[r] = load(input, first + r * 128, N);
        flags[r] = load(heads, first + r * 128, N);
    }
    Part before[ROUNDS];
    Part carry = {0, 0};
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        Part part = join({values[r].x, flags[r].x}, {values[r].y, flags[r].y});
        part = join(join(part, {values[r].z, flags[r].z}), {values[r].w, flags[r].w});
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const Part left = {__shfl_up_sync(ALL, part.sum, distance), __shfl_up_sync(ALL, part.head, distance)};
            part = lane >= distance ? join(left, part) : part;
        }
        const Part left = {__shfl_up_sync(ALL, part.sum, 1), __shfl_up_sync(ALL, part.head, 1)};
        before[r] = lane == 0 ? carry : join(carry, left);
        carry = join(carry, {__shfl_sync(ALL, part.sum, 31), __shfl_sync(ALL, part.head, 31)});
    }
    if (lane == 0) {
        warps[warp] = carry;
    }
    __syncthreads();
    Part of_warps = {0, 0};
    Part of_tile = {0, 0};
    for (int w = 0; w < WARPS; w++) {
        of_warps = w == warp ? of_tile : of_warps;
        of_tile = join(of_tile, warps[w]);
    }
    if (warp == 0) {
        const int total = look_back(published, tile, of_tile);
        if (lane == 0) {
            before_tile = total;
        }
    }
    __syncthreads();
    const Part of_all = join({before_tile, 0}, of_warps);
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        const int base = join(of_all, before[r]).sum;
        int4 sums;
        sums.x = values[r].x + (flags[r].x ? 0 : base);
        sums.y = values[r].y + (flags[r].y ? 0 : sums.x);
        sums.z = values[r].z + (flags[r].z ? 0 : sums.y);
        sums.w = values[r].w + (flags[r].w ? 0 : sums.z);
        store(output, first + r * 128, N, sums);
    }
}

extern "C" void solve(const int* input, const int* heads, int* output, int N) {
    int tiles = (N + TILE - 1) / TILE;
    Word* published;
    cudaMalloc(&published, (tiles * APART + 1) * sizeof(Word));
    cudaMemset(published, 0, (tiles * APART + 1) * sizeof(Word));
    scan<<<tiles, BLOCK>>>(input, heads, output, published, reinterpret_cast<unsigned*>(published + tiles * APART), N);
    cudaFree(published);
}
