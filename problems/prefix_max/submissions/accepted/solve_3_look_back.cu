// expect: accepted
//
// Prefix maximum, step 3: one pass, with decoupled look-back.
//
// Added to step 2: a tile's first warp publishes the tile's largest element, looks at the 32 tiles to its left, and
// goes on until one of them has published the largest of all up to there (see the problem exclusive_scan). A thread
// takes four neighbouring ints by one load, sixteen times, and keeps them in registers, as the running maxima that they
// become: 8 bytes an element, as a copy needs, and 192 KB of loads under way on an SM.

#include <cuda_runtime.h>

#define BLOCK 256
#define ROUNDS 16
#define WARPS (BLOCK / 32)
#define TILE (BLOCK * ROUNDS * 4)
#define ALL 0xffffffffu
// Words from one tile's to the next: 128 bytes. Loads of one line come one after the other, and many look at a tile.
#define APART 16

typedef unsigned long long Word;

constexpr Word OWN = 1ull << 32;    // the tile's largest element
constexpr Word TOTAL = 2ull << 32;  // that of the tile and all before it

__device__ __forceinline__ int4 load(const int* input, int i, int N) {
    if (i + 3 < N) {
        return *reinterpret_cast<const int4*>(input + i);
    }
    return make_int4(i < N ? input[i] : INT_MIN, i + 1 < N ? input[i + 1] : INT_MIN,
                     i + 2 < N ? input[i + 2] : INT_MIN, INT_MIN);
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

// Publishes the tile's largest element and returns that of all tiles before it. A whole warp calls it.
__device__ int look_back(volatile Word* published, int tile, int own) {
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        published[tile * APART] = (tile == 0 ? TOTAL : OWN) | (unsigned)own;
    }
    int before = INT_MIN;
    for (int nearest = tile - 1; nearest >= 0; nearest -= 32) {
        Word word = TOTAL | (unsigned)INT_MIN;
        if (nearest >= lane) {
            do {
                word = published[(nearest - lane) * APART];
            } while (word < OWN);
        }
        unsigned totals = __ballot_sync(ALL, word >= TOTAL);
        // What lies further left than the first total is part of that total: it does no harm.
        int value = (int)(unsigned)word;
        for (int distance = 16; distance > 0; distance /= 2) {
            value = max(value, __shfl_xor_sync(ALL, value, distance));
        }
        before = max(before, value);
        if (totals) {
            break;
        }
    }
    if (lane == 0 && tile > 0) {
        published[tile * APART] = TOTAL | (unsigned)max(before, own);
    }
    return before;
}

__global__ void __launch_bounds__(BLOCK, 3)
    scan(const int* __restrict__ input, int* __restrict__ output, Word* published, unsigned* started, int N) {
    __shared__ int warps[WARPS];
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

    int4 fours[ROUNDS];
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        fours[r] = load(input, first + r * 128, N);
    }
    int carry = INT_MIN;
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        fours[r].y = max(fours[r].x, fours[r].y);
        fours[r].z = max(fours[r].y, fours[r].z);
        fours[r].w = max(fours[r].z, fours[r].w);
        int largest = fours[r].w;
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            largest = max(largest, __shfl_up_sync(ALL, largest, distance));
        }
        const int left = __shfl_up_sync(ALL, largest, 1);
        const int before = lane == 0 ? carry : max(carry, left);
        fours[r].x = max(before, fours[r].x);
        fours[r].y = max(before, fours[r].y);
        fours[r].z = max(before, fours[r].z);
        fours[r].w = max(before, fours[r].w);
        carry = max(carry, __shfl_sync(ALL, largest, 31));
    }
    if (lane == 0) {
        warps[warp] = carry;
    }
    __syncthreads();
    int of_warps = INT_MIN;
    int of_tile = INT_MIN;
    for (int w = 0; w < WARPS; w++) {
        of_warps = w == warp ? of_tile : of_warps;
        of_tile = max(of_tile, warps[w]);
    }
    if (warp == 0) {
        const int largest = look_back(published, tile, of_tile);
        if (lane == 0) {
            before_tile = largest;
        }
    }
    __syncthreads();
    const int base = max(before_tile, of_warps);
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        const int4 four = fours[r];
        store(output, first + r * 128, N,
              make_int4(max(base, four.x), max(base, four.y), max(base, four.z), max(base, four.w)));
    }
}

extern "C" void solve(const int* input, int* output, int N) {
    int tiles = (N + TILE - 1) / TILE;
    Word* published;
    cudaMalloc(&published, (tiles * APART + 1) * sizeof(Word));
    cudaMemset(published, 0, (tiles * APART + 1) * sizeof(Word));
    scan<<<tiles, BLOCK>>>(input, output, published, reinterpret_cast<unsigned*>(published + tiles * APART), N);
    cudaFree(published);
}
