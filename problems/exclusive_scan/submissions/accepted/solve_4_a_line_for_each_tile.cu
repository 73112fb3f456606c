// expect: accepted
//
// Exclusive scan, step 4: each tile's word has a line of memory for itself, and more loads are under way.
//
// Added to step 3: sixteen tiles' words lie in a line of 128 bytes there, and hundreds of warps look at the same few
// lines, again and again, while those tiles want to write to them. L2 serves one access to a line after the other: the
// words are the queue, not the sums. 128 bytes apart they are out of each other's way.
//
// A tile is four times as long, so there is a quarter of the looking. A thread takes sixteen times four ints, which it
// turns into running sums where they are: 64 registers, three blocks on an SM, and 192 KB under way. Expect three
// quarters of the time of step 3.

#include <cuda_runtime.h>

#define BLOCK 256
#define ROUNDS 16
#define WARPS (BLOCK / 32)
#define TILE (BLOCK * ROUNDS * 4)
#define ALL 0xffffffffu
// Words from one tile's to the next: 128 bytes. Loads of one line come one after the other, and many look at a tile.
#define APART 16

typedef unsigned long long Word;

constexpr Word OWN = 1ull << 32;    // the tile's sum
constexpr Word TOTAL = 2ull << 32;  // that of the tile and all before it

__device__ __forceinline__ int4 load(const int* input, int i, int N) {
    if (i + 3 < N) {
        return *reinterpret_cast<const int4*>(input + i);
    }
    return make_int4(i < N ? input[i] : 0, i + 1 < N ? input[i + 1] : 0, i + 2 < N ? input[i + 2] : 0, 0);
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

// Publishes the tile's sum and returns that of all tiles before it. A whole warp calls it.
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

__global__ void __launch_bounds__(BLOCK, 3)
    scan(const int* __restrict__ input, int* __restrict__ output, Word* published, unsigned* started, int N) {
    __shared__ int warp_sums[WARPS];
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
    int carry = 0;
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        const int two = fours[r].x + fours[r].y;
        const int three = two + fours[r].z;
        const int own = three + fours[r].w;
        int sum = own;
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const int left = __shfl_up_sync(ALL, sum, distance);
            sum += lane >= distance ? left : 0;
        }
        const int before = carry + sum - own;
        fours[r] = make_int4(before, before + fours[r].x, before + two, before + three);
        carry += __shfl_sync(ALL, sum, 31);
    }
    if (lane == 0) {
        warp_sums[warp] = carry;
    }
    __syncthreads();
    if (warp == 0) {
        const int own = lane < WARPS ? warp_sums[lane] : 0;
        int sum = own;
#pragma unroll
        for (int distance = 1; distance < WARPS; distance *= 2) {
            const int left = __shfl_up_sync(ALL, sum, distance);
            sum += lane >= distance ? left : 0;
        }
        const int before = look_back(published, tile, __shfl_sync(ALL, sum, WARPS - 1));
        if (lane < WARPS) {
            warp_sums[lane] = before + sum - own;
        }
    }
    __syncthreads();
    const int base = warp_sums[warp];
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        const int4 four = fours[r];
        store(output, first + r * 128, N, make_int4(base + four.x, base + four.y, base + four.z, base + four.w));
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
