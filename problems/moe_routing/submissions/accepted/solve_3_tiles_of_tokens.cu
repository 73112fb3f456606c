// expect: accepted
//
// Mixture of experts, step 3: the whole GPU, in three launches.
//
// Added to step 2: each block chooses for a tile of 256 tokens and counts the tile's choices; a scan over the tiles, a
// thread for each expert, turns the counts into where a tile's places begin; and a third kernel builds the masks anew
// from the choices, which are few, and stores the places. The logits are read once, at the memory's speed.

#include <cuda_runtime.h>

#define BLOCK 512
#define MOST_EXPERTS 256
#define PIECE 256  // tokens, a bit each
#define WORDS (PIECE / 32)
#define AHEAD 32

// A number that compares as the float does; zeros of both signs are equal.
__device__ __forceinline__ unsigned ordered(float x) {
    const unsigned bits = __float_as_uint(x + 0.0f);
    return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}

__device__ __forceinline__ float unordered(unsigned bits) {
    return __uint_as_float(bits ^ (bits >> 31 ? 0x80000000u : 0xffffffffu));
}

// A whole warp finds the K best of up to 32 * EACH experts for one token. Lane k returns choice k, and its weight.
template <int EACH>
__device__ __forceinline__ int choose_of(const float* __restrict__ row, int E, int K, float& weight) {
    const int lane = threadIdx.x % 32;
    unsigned own[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const int e = lane + 32 * j;
        // 0 is below the lowest float.
        own[j] = e < E ? ordered(__ldcs(row + e)) : 0u;
    }
    int mine = 0;
    unsigned best = 0;
    for (int k = 0; k < K; k++) {
        unsigned largest = 0;
        int first = 32 * EACH;
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            if (own[j] > largest) {
                largest = own[j];
                first = lane + 32 * j;
            }
        }
        const unsigned all = __reduce_max_sync(0xffffffff, largest);
        const unsigned winner = __reduce_min_sync(0xffffffff, largest == all ? (unsigned)first : ~0u);
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            own[j] = lane + 32 * j == winner ? 0u : own[j];
        }
        if (lane == k) {
            mine = winner;
            best = all;
        }
    }
    const unsigned top = __shfl_sync(0xffffffff, best, 0);
    const float e = lane < K ? __expf(unordered(best) - unordered(top)) : 0.0f;
    float sum = e;
    for (int distance = 4; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }
    weight = e / sum;
    return mine;
}

// With few experts a lane has two logits; going through places for eight would be most of the work.
__device__ __forceinline__ int choose(const float* __restrict__ row, int E, int K, float& weight) {
    return E <= 64 ? choose_of<2>(row, E, K, weight) : choose_of<MOST_EXPERTS / 32>(row, E, K, weight);
}

__global__ void __launch_bounds__(BLOCK)
    choose_experts(const float* __restrict__ logits, int* __restrict__ experts, float* __restrict__ weights,
                   int* __restrict__ tile_counts, int T, int E, int K) {
    __shared__ int counts[MOST_EXPERTS];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < MOST_EXPERTS) {
        counts[threadIdx.x] = 0;
    }
    __syncthreads();
    const int start = blockIdx.x * PIECE;
    const int tokens = min(PIECE, T - start);
    for (int i = threadIdx.x / 32; i < tokens; i += BLOCK / 32) {
        const int t = start + i;
        float weight;
        const int expert = choose(logits + (size_t)t * E, E, K, weight);
        if (lane < K) {
            experts[t * K + lane] = expert;
            weights[t * K + lane] = weight;
            atomicAdd(&counts[expert], 1);
        }
    }
    __syncthreads();
    if (threadIdx.x < E) {
        tile_counts[blockIdx.x * E + threadIdx.x] = counts[threadIdx.x];
    }
}

// Turns the counts of tiles into the number of choices before each tile. A thread asks for many counts before it needs
// the first.
__global__ void scan_tiles(int* __restrict__ tile_counts, int* __restrict__ counts, int tiles, int E) {
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= E) {
        return;
    }
    int before = 0;
    for (int first = 0; first < tiles; first += AHEAD) {
        int here[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            here[k] = first + k < tiles ? tile_counts[(first + k) * E + e] : 0;
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            if (first + k < tiles) {
                tile_counts[(first + k) * E + e] = before;
                before += here[k];
            }
        }
    }
    counts[e] = before;
}

__global__ void __launch_bounds__(BLOCK)
    find_places(const int* __restrict__ experts, const int* __restrict__ tile_counts, int* __restrict__ places, int T,
                int E, int K) {
    // One word more than a mask has keeps masks of neighbouring experts in different banks.
    __shared__ unsigned masks[MOST_EXPERTS][WORDS + 1];
    __shared__ int before[MOST_EXPERTS];
    for (int i = threadIdx.x; i < MOST_EXPERTS * WORDS; i += BLOCK) {
        masks[i / WORDS][i % WORDS] = 0;
    }
    if (threadIdx.x < E) {
        before[threadIdx.x] = tile_counts[blockIdx.x * E + threadIdx.x];
    }
    __syncthreads();
    const int start = blockIdx.x * PIECE;
    const int choices = min(PIECE, T - start) * K;
    for (int c = threadIdx.x; c < choices; c += BLOCK) {
        const int i = c / K;
        atomicOr(&masks[experts[start * K + c]][i / 32], 1u << i % 32);
    }
    __syncthreads();
    for (int c = threadIdx.x; c < choices; c += BLOCK) {
        const int i = c / K;
        const int expert = experts[start * K + c];
        int place = before[expert] + __popc(masks[expert][i / 32] & ((1u << i % 32) - 1));
        for (int w = 0; w < i / 32; w++) {
            place += __popc(masks[expert][w]);
        }
        places[start * K + c] = place;
    }
}

extern "C" void solve(const float* logits, int* experts, float* weights, int* places, int* counts, int T, int E,
                      int K) {
    const int tiles = (T + PIECE - 1) / PIECE;
    int* tile_counts;
    cudaMalloc(&tile_counts, (size_t)tiles * E * sizeof(int));
    choose_experts<<<tiles, BLOCK>>>(logits, experts, weights, tile_counts, T, E, K);
    scan_tiles<<<(E + 31) / 32, 32>>>(tile_counts, counts, tiles, E);
    find_places<<<tiles, BLOCK>>>(experts, tile_counts, places, T, E, K);
    cudaFree(tile_counts);
}
