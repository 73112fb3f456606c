// expect: runtime_error uninitialized_read
//
// Radix sort whose counts start as they are.
//
// Memory from cudaMalloc holds anything.

#include <cuda_runtime.h>

#define BLOCK 256
#define DIGITS 256
#define EACH 16
#define TILE (BLOCK * EACH)
#define WARPS (BLOCK / 32)

constexpr unsigned OWN = 1u << 30;    // the tile's count
constexpr unsigned TOTAL = 2u << 30;  // that of the tile and all before it
constexpr unsigned COUNT = OWN - 1;

__global__ void count_all(const unsigned int* __restrict__ keys, unsigned* counts, int N) {
    __shared__ unsigned own[4][DIGITS];
    for (int pass = 0; pass < 4; pass++) {
        own[pass][threadIdx.x] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) {
        unsigned key = keys[i];
        for (int pass = 0; pass < 4; pass++) {
            atomicAdd(&own[pass][key >> 8 * pass & 255], 1u);
        }
    }
    __syncthreads();
    for (int pass = 0; pass < 4; pass++) {
        if (own[pass][threadIdx.x] > 0) {
            atomicAdd(&counts[pass * DIGITS + threadIdx.x], own[pass][threadIdx.x]);
        }
    }
}

// What the threads before this one of the block have, added up.
__device__ unsigned sum_before(unsigned own) {
    __shared__ unsigned warp_sums[WARPS];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    unsigned sum = own;
    for (int distance = 1; distance < 32; distance *= 2) {
        unsigned left = __shfl_up_sync(0xffffffffu, sum, distance);
        sum += lane >= distance ? left : 0;
    }
    if (lane == 31) {
        warp_sums[warp] = sum;
    }
    __syncthreads();
    for (int w = 0; w < warp; w++) {
        sum += warp_sums[w];
    }
    __syncthreads();
    return sum - own;
}

__global__ void __launch_bounds__(BLOCK)
    move(const unsigned int* __restrict__ keys, const int* __restrict__ values, unsigned int* __restrict__ moved_keys,
         int* __restrict__ moved_values, const unsigned* __restrict__ counts, volatile unsigned* published,
         unsigned* started, int N, int shift) {
    __shared__ unsigned tile_keys[TILE];
    __shared__ int tile_values[TILE];
    __shared__ unsigned warp_counts[WARPS][DIGITS];
    __shared__ unsigned target[DIGITS];
    __shared__ unsigned number;
    const int t = threadIdx.x;
    const int lane = t % 32;
    const int warp = t / 32;

    if (t == 0) {
        number = atomicAdd(started, 1u);
    }
    for (int w = 0; w < WARPS; w++) {
        warp_counts[w][t] = 0;
    }
    __syncthreads();
    const int tile = number;
    const int start = tile * TILE;
    const int length = min(TILE, N - start);

    // A warp takes 32 * EACH neighbouring pairs. The places behind the end have the highest digit, so that all pairs
    // stay before them.
    unsigned key[EACH];
    unsigned short rank[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int i = (warp * EACH + k) * 32 + lane;
        key[k] = i < length ? keys[start + i] : 0xffffffffu;
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const unsigned digit = key[k] >> shift & 255;
        const unsigned equal = __match_any_sync(0xffffffffu, digit);
        const unsigned before = equal & ((1u << lane) - 1);
        const unsigned count = warp_counts[warp][digit];
        rank[k] = count + __popc(before);
        __syncwarp();
        if (before == 0) {
            warp_counts[warp][digit] = count + __popc(equal);
        }
        __syncwarp();
    }
    __syncthreads();

    // Thread t has digit t.
    unsigned own = 0;
    for (int w = 0; w < WARPS; w++) {
        const unsigned count = warp_counts[w][t];
        warp_counts[w][t] = own;
        own += count;
    }
    // Places behind the end are not published.
    const unsigned real = own - (t == 255 ? TILE - length : 0);
    unsigned earlier = 0;
    if (tile == 0) {
        published[t] = TOTAL | real;
    } else {
        published[tile * DIGITS + t] = OWN | real;
        for (int left = tile - 1; left >= 0;) {
            const unsigned word = published[left * DIGITS + t];
            if (word >= OWN) {
                earlier += word & COUNT;
                if (word >= TOTAL) {
                    break;
                }
                left--;
            }
        }
        published[tile * DIGITS + t] = TOTAL | (earlier + real);
    }
    const unsigned in_tile = sum_before(own);
    const unsigned in_all = sum_before(counts[t]);
    target[t] = in_all + earlier - in_tile;
    for (int w = 0; w < WARPS; w++) {
        warp_counts[w][t] += in_tile;
    }
    __syncthreads();

#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int i = (warp * EACH + k) * 32 + lane;
        const unsigned place = warp_counts[warp][key[k] >> shift & 255] + rank[k];
        tile_keys[place] = key[k];
        if (i < length) {
            tile_values[place] = values[start + i];
        }
    }
    __syncthreads();
    for (int place = t; place < length; place += BLOCK) {
        const unsigned moved = tile_keys[place];
        const unsigned to = target[moved >> shift & 255] + place;
        moved_keys[to] = moved;
        moved_values[to] = tile_values[place];
    }
}

extern "C" void solve(const unsigned int* keys, const int* values, unsigned int* sorted_keys, int* sorted_values,
                      int N) {
    unsigned int* other_keys;
    int* other_values;
    cudaMalloc(&other_keys, N * sizeof(unsigned int));
    cudaMalloc(&other_values, N * sizeof(int));
    const int tiles = (N + TILE - 1) / TILE;
    // The digits' counts, how many tiles have started, and what they publish, for each pass.
    unsigned* counts;
    const size_t words = 4 * DIGITS + 4 + 4 * (size_t)tiles * DIGITS;
    cudaMalloc(&counts, words * sizeof(unsigned));
    unsigned* started = counts + 4 * DIGITS;
    unsigned* published = started + 4;

    count_all<<<min((N + TILE - 1) / TILE, 1024), BLOCK>>>(keys, counts, N);
    for (int pass = 0; pass < 4; pass++) {
        const unsigned int* from_keys = pass == 0 ? keys : pass % 2 ? other_keys : sorted_keys;
        const int* from_values = pass == 0 ? values : pass % 2 ? other_values : sorted_values;
        move<<<tiles, BLOCK>>>(from_keys, from_values, pass % 2 ? sorted_keys : other_keys,
                               pass % 2 ? sorted_values : other_values, counts + pass * DIGITS,
                               published + pass * (size_t)tiles * DIGITS, started + pass, N, 8 * pass);
    }
    cudaFree(counts);
    cudaFree(other_keys);
    cudaFree(other_values);
}
