// expect: runtime_error out_of_bounds
//
// Top-k that takes rows for multiples of 32.
//
// The last lanes read the next row, or behind the last one.

#define BLOCK 256

__device__ __forceinline__ float exchanged(float x, int distance, bool keeps_larger) {
    float other = __shfl_xor_sync(0xffffffff, x, distance);
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
    return merged(fmaxf(list, __shfl_sync(0xffffffff, other, 31 - lane)), lane);
}

__global__ void top_k_kernel(const float* __restrict__ input, float* __restrict__ output, int M, int N, int K) {
    __shared__ float lists[BLOCK];
    const float* row = input + (size_t)blockIdx.x * N;
    int lane = threadIdx.x % 32;
    float list = -INFINITY;
    for (int first = threadIdx.x - lane; first < N; first += BLOCK) {
        float x = row[first + lane];  // <- here
        float least = __shfl_sync(0xffffffff, list, K - 1);
        if (__any_sync(0xffffffff, x > least)) {
            list = joined(list, sorted(x, lane), lane);
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
