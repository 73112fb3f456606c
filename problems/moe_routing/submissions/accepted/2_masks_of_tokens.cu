// expect: accepted
//
// Mixture of experts, step 2: a warp for each token, and a mask of tokens for each expert.
//
// Added to step 1: the lanes read a token's logits together, and find the best one K times by two reductions of a warp.
// Each choice sets the token's bit in its expert's mask; its place is how many bits are set before. So nobody goes
// through the piece's choices any more. One block does it all, though: expect two thirds of the time with 256 experts,
// and less of a gain with few.

#define BLOCK 1024
#define MOST_EXPERTS 256
#define PIECE 256  // tokens, a bit each

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

__global__ void moe_routing_kernel(const float* logits, int* experts, float* weights, int* places, int* counts, int T,
                                   int E, int K) {
    __shared__ unsigned masks[MOST_EXPERTS][PIECE / 32 + 1];
    __shared__ int before[MOST_EXPERTS];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    if (threadIdx.x < MOST_EXPERTS) {
        before[threadIdx.x] = 0;
    }
    for (int start = 0; start < T; start += PIECE) {
        for (int i = threadIdx.x; i < MOST_EXPERTS * (PIECE / 32); i += BLOCK) {
            masks[i / (PIECE / 32)][i % (PIECE / 32)] = 0;
        }
        __syncthreads();
        const int tokens = min(PIECE, T - start);
        for (int i = warp; i < tokens; i += BLOCK / 32) {
            const int t = start + i;
            float weight;
            const int expert = choose(logits + (size_t)t * E, E, K, weight);
            if (lane < K) {
                experts[t * K + lane] = expert;
                weights[t * K + lane] = weight;
                atomicOr(&masks[expert][i / 32], 1u << i % 32);
            }
        }
        __syncthreads();
        for (int c = threadIdx.x; c < tokens * K; c += BLOCK) {
            const int i = c / K;
            const int expert = experts[start * K + c];
            int place = before[expert] + __popc(masks[expert][i / 32] & ((1u << i % 32) - 1));
            for (int w = 0; w < i / 32; w++) {
                place += __popc(masks[expert][w]);
            }
            places[start * K + c] = place;
        }
        __syncthreads();
        if (threadIdx.x < E) {
            for (int w = 0; w < PIECE / 32; w++) {
                before[threadIdx.x] += __popc(masks[threadIdx.x][w]);
            }
        }
        __syncthreads();
    }
    if (threadIdx.x < E) {
        counts[threadIdx.x] = before[threadIdx.x];
    }
}
