// expect: wrong_answer wrong_value
//
// Argmax that takes +0 for larger than -0.
//
// As bits they differ, and in their order; as numbers they are equal, so that the first of them counts.

#define BLOCK 256

__device__ __forceinline__ unsigned long long packed(float value, int place) {
    unsigned bits = __float_as_uint(value);
    unsigned ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (unsigned long long)ordered << 32 | ~(unsigned)place;
}

__device__ __forceinline__ unsigned long long best_of_warp(unsigned long long pair) {
    for (int distance = 16; distance > 0; distance /= 2) {
        pair = max(pair, __shfl_down_sync(0xffffffff, pair, distance));
    }
    return pair;
}

__global__ void argmax_kernel(const float* __restrict__ input, int* __restrict__ output, int M, int N) {
    __shared__ unsigned long long pairs[BLOCK / 32];
    const float* row = input + (size_t)blockIdx.x * N;
    unsigned long long pair = 0;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        pair = max(pair, packed(row[j], j));
    }
    pair = best_of_warp(pair);
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    if (lane == 0) {
        pairs[warp] = pair;
    }
    __syncthreads();
    if (warp == 0) {
        pair = best_of_warp(lane < BLOCK / 32 ? pairs[lane] : 0);
        if (lane == 0) {
            output[blockIdx.x] = ~(unsigned)pair;
        }
    }
}
