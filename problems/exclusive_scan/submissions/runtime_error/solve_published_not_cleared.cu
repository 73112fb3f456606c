// expect: runtime_error uninitialized_read
//
// Exclusive scan whose tiles look at words that nobody has cleared.
//
// Memory from cudaMalloc holds anything, for example the sums of the call before.

#include <cuda_runtime.h>

#define BLOCK 256
#define ROUNDS 4
#define WARPS (BLOCK / 32)
#define TILE (BLOCK * ROUNDS * 4)
#define ALL 0xffffffffu

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
        published[tile] = (tile == 0 ? TOTAL : OWN) | (unsigned)own;
    }
    int before = 0;
    for (int nearest = tile - 1; nearest >= 0; nearest -= 32) {
        Word word = TOTAL;
        if (nearest >= lane) {
            do {
                word = published[nearest - lane];
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
        published[tile] = TOTAL | (unsigned)(before + own);
    }
    return before;
}

__global__ void __launch_bounds__(BLOCK)
    scan(const int* __restrict__ input, int* __restrict__ output, Word* published, unsigned* started, int N) {
    __shared__ int warp_sums[WARPS];
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
    int before[ROUNDS];
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        fours[r] = load(input, first + r * 128, N);
    }
    int carry = 0;
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        const int own = fours[r].x + fours[r].y + fours[r].z + fours[r].w;
        int sum = own;
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const int left = __shfl_up_sync(ALL, sum, distance);
            sum += lane >= distance ? left : 0;
        }
        before[r] = carry + sum - own;
        carry += __shfl_sync(ALL, sum, 31);
    }
    if (lane == 0) {
        warp_sums[warp] = carry;
    }
    __syncthreads();
    int of_warps = 0;
    int of_tile = 0;
    for (int w = 0; w < WARPS; w++) {
        of_warps += w < warp ? warp_sums[w] : 0;
        of_tile += warp_sums[w];
    }
    if (warp == 0) {
        const int sum = look_back(published, tile, of_tile);
        if (lane == 0) {
            before_tile = sum;
        }
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        int4 sums;
        sums.x = before_tile + of_warps + before[r];
        sums.y = sums.x + fours[r].x;
        sums.z = sums.y + fours[r].y;
        sums.w = sums.z + fours[r].z;
        store(output, first + r * 128, N, sums);
    }
}

extern "C" void solve(const int* input, int* output, int N) {
    int tiles = (N + TILE - 1) / TILE;
    Word* published;
    cudaMalloc(&published, (tiles + 1) * sizeof(Word));
    cudaMemset(published + tiles, 0, sizeof(Word));
    scan<<<tiles, BLOCK>>>(input, output, published, reinterpret_cast<unsigned*>(published + tiles), N);
    cudaFree(published);
}
