// expect: accepted
//
// Fourier transform of real numbers, step 3: rows in shared memory.
//
// Added to step 2: the first eleven stages, and with rows of up to 4096 numbers all of them, stay within 2048 complex
// numbers in shared memory. Such a row is read once, and written once, after its numbers were taken apart. Factors come
// from a table, computed once by each block.

#define BLOCK 256

constexpr int TILE = 2048;

__device__ __forceinline__ void butterfly(float2& low, float2& high, float2 factor) {
    float2 turned = make_float2(high.x * factor.x - high.y * factor.y, high.x * factor.y + high.y * factor.x);
    high = make_float2(low.x - turned.x, low.y - turned.y);
    low = make_float2(low.x + turned.x, low.y + turned.y);
}

__device__ __forceinline__ float2 factor_of(float half_turns) {
    float2 factor;
    sincospif(half_turns, &factor.y, &factor.x);
    return factor;
}

// X[k] and X[M - k] of Z[k] and Z[M - k], where M is half the length of the row.
__device__ __forceinline__ void split(float2 z, float2 mirrored, int k, int M, float2& low, float2& high) {
    float2 even = make_float2(0.5f * (z.x + mirrored.x), 0.5f * (z.y - mirrored.y));
    float2 odd = make_float2(0.5f * (z.y + mirrored.y), 0.5f * (mirrored.x - z.x));
    float sine, cosine;
    sincospif(-(float)k / M, &sine, &cosine);
    float2 turned = make_float2(odd.x * cosine - odd.y * sine, odd.x * sine + odd.y * cosine);
    low = make_float2(even.x + turned.x, even.y + turned.y);
    high = make_float2(even.x - turned.x, turned.y - even.y);
}

__global__ void __launch_bounds__(BLOCK)
    rfft_kernel(const float* __restrict__ input, float* output, int ROWS, int LOG) {
    __shared__ float2 tile[TILE];
    __shared__ float2 factors[TILE];
    int M = 1 << (LOG - 1);
    int length = min(M, TILE);
    const float2* numbers = reinterpret_cast<const float2*>(input) + (size_t)blockIdx.x * M;
    float2* result = reinterpret_cast<float2*>(output) + (size_t)blockIdx.x * (M + 1);
    // Those of the stage that joins transforms of `half` numbers begin at place `half`.
    for (int i = threadIdx.x + 1; i < length; i += BLOCK) {
        int half = 1 << (31 - __clz(i));
        factors[i] = factor_of(-(float)(i - half) / half);
    }
    for (int start = 0; start < M; start += length) {
        for (int i = threadIdx.x; i < length; i += BLOCK) {
            tile[i] = numbers[LOG > 1 ? __brev(start + i) >> (33 - LOG) : 0];
        }
        __syncthreads();
        for (int half = 1; half < length; half *= 2) {
            for (int pair = threadIdx.x; pair < length / 2; pair += BLOCK) {
                int k = pair & (half - 1);
                int low = 2 * pair - k;
                butterfly(tile[low], tile[low + half], factors[half + k]);
            }
            __syncthreads();
        }
        if (M > length) {
            for (int i = threadIdx.x; i < length; i += BLOCK) {
                result[start + i] = tile[i];
            }
            __syncthreads();
        }
    }
    for (int half = length; half < M; half *= 2) {
        for (int pair = threadIdx.x; pair < M / 2; pair += BLOCK) {
            int k = pair & (half - 1);
            int low = 2 * pair - k;
            butterfly(result[low], result[low + half], factor_of(-(float)k / half));
        }
        __syncthreads();
    }
    const float2* whole = M > length ? result : tile;
    for (int k = threadIdx.x; k <= M / 2; k += BLOCK) {
        float2 z = whole[k];
        float2 mirrored = whole[k == 0 ? 0 : M - k];
        float2 low, high;
        split(z, mirrored, k, M, low, high);
        result[k] = low;
        result[M - k] = high;
    }
}
