// expect: wrong_answer wrong_value
//
// Top-k that compares floats by their bits.
//
// Bits of positive floats compare like the floats. Among negative ones the order is the other way round.

#define BLOCK 256

typedef unsigned long long Pair;

__device__ __forceinline__ Pair packed(float value, unsigned column) {
    unsigned bits = __float_as_uint(value);
    unsigned ordered = bits ^ 0x80000000u;
    return (Pair)ordered << 32 | ~column;
}

__device__ __forceinline__ Pair best_of_warp(Pair pair) {
    for (int distance = 16; distance > 0; distance /= 2) {
        pair = max(pair, __shfl_xor_sync(0xffffffff, pair, distance));
    }
    return pair;
}

__global__ void top_k_kernel(const float* input, float* output, int M, int N, int K) {
    __shared__ Pair pairs[BLOCK / 32];
    const float* row = input + (size_t)blockIdx.x * N;
    int lane = threadIdx.x % 32;
    Pair last = ~0ull;
    for (int r = 0; r < K; r++) {
        Pair best = 0;
        for (int j = threadIdx.x; j < N; j += BLOCK) {
            Pair pair = packed(row[j], j);
            best = pair < last ? max(best, pair) : best;
        }
        best = best_of_warp(best);
        __syncthreads();
        if (lane == 0) {
            pairs[threadIdx.x / 32] = best;
        }
        __syncthreads();
        last = best_of_warp(lane < BLOCK / 32 ? pairs[lane] : 0);
        if (threadIdx.x == 0) {
            output[(size_t)blockIdx.x * K + r] = row[~(unsigned)last];
        }
    }
}
