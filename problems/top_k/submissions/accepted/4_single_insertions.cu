// expect: accepted
//
// Top-k, step 4: eight elements a lane at once, and single elements put in their place.
//
// Added to step 3: after the first elements few are larger than the K-th of the list, mostly one of 32 if any. Such a one
// needs no sorting: a vote says how many of the list are not smaller, and the others move on by a lane, three exchanges
// instead of 21. Only where many are larger they are sorted and joined as before. A warp asks for 256 elements before it
// looks at the first, and one vote dismisses them all if none is large enough.

#define BLOCK 256
#define EACH 8
#define MANY 8
#define ALL 0xffffffffu

__device__ __forceinline__ float exchanged(float x, int distance, bool keeps_larger) {
    float other = __shfl_xor_sync(ALL, x, distance);
    return keeps_larger ? fmaxf(x, other) : fminf(x, other);
}

// From large to small, if the 32 elements rise first and then fall, or the other way round.
__device__ __forceinline__ float merged(float x, int lane) {
    for (int distance = 16; distance > 0; distance /= 2) {
        x = exchanged(x, distance, (lane & distance) == 0);
    }
    return x;
}

__device__ __forceinline__ float sorted(float x, int lane) {
    for (int length = 2; length < 32; length *= 2) {
        for (int distance = length / 2; distance > 0; distance /= 2) {
            x = exchanged(x, distance, ((lane & length) == 0) == ((lane & distance) == 0));
        }
    }
    return merged(x, lane);
}

__device__ __forceinline__ float joined(float list, float other, int lane) {
    return merged(fmaxf(list, __shfl_sync(ALL, other, 31 - lane)), lane);
}

// Puts `x` behind all of the list that are not smaller.
__device__ __forceinline__ float inserted(float list, float x, int lane) {
    const int place = __popc(__ballot_sync(ALL, list >= x));
    const float before = __shfl_up_sync(ALL, list, 1);
    return lane < place ? list : lane == place ? x : before;
}

__global__ void __launch_bounds__(BLOCK)
    top_k_kernel(const float* __restrict__ input, float* __restrict__ output, int M, int N, int K) {
    __shared__ float lists[BLOCK];
    const float* row = input + (size_t)blockIdx.x * N;
    const int lane = threadIdx.x % 32;
    float list = -INFINITY;
    float least = -INFINITY;
    for (int first = (threadIdx.x - lane) * EACH; first < N; first += BLOCK * EACH) {
        float x[EACH];
        float largest = -INFINITY;
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int place = first + 32 * k + lane;
            x[k] = place < N ? __ldcs(row + place) : -INFINITY;
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            largest = fmaxf(largest, x[k]);
        }
        if (!__any_sync(ALL, largest > least)) {
            continue;
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            unsigned larger = __ballot_sync(ALL, x[k] > least);
            if (__popc(larger) > MANY) {
                list = joined(list, sorted(x[k], lane), lane);
                least = __shfl_sync(ALL, list, K - 1);
                continue;
            }
            while (larger != 0) {
                const int owner = __ffs(larger) - 1;
                list = inserted(list, __shfl_sync(ALL, x[k], owner), lane);
                least = __shfl_sync(ALL, list, K - 1);
                larger &= larger - 1;
                larger &= __ballot_sync(ALL, x[k] > least);
            }
        }
    }
    lists[threadIdx.x] = list;
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int warp = 1; warp < BLOCK / 32; warp++) {
            list = joined(list, lists[warp * 32 + lane], lane);
        }
        if (lane < K) {
            output[(size_t)blockIdx.x * K + lane] = list;
        }
    }
}
