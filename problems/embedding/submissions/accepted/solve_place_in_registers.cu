// expect: accepted
//
// Embedding with host code of its own: a thread keeps its part of a place for several texts.
//
// Added to step 2: a block has one place, and a thread some of its columns; it goes through eight texts, so that a
// place is read once for all of them and no thread divides. The eight gathers don't wait for each other, and the
// results are stored past the cache, which is left to the words.

#include <algorithm>
#include <cuda_runtime.h>

constexpr int TEXTS = 8;

__device__ __forceinline__ float sum(float a, float b) {
    return a + b;
}

__device__ __forceinline__ float4 sum(float4 a, float4 b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

// `length` counts Parts, floats or fours of them.
template <typename Part>
__global__ void embed(const int* __restrict__ tokens, const Part* __restrict__ words, const Part* __restrict__ places,
                      Part* __restrict__ output, int B, int T, int length) {
    int t = blockIdx.x;
    int first = blockIdx.y * TEXTS;
    int rows[TEXTS];
#pragma unroll
    for (int k = 0; k < TEXTS; k++) {
        rows[k] = first + k < B ? tokens[(size_t)(first + k) * T + t] : 0;
    }
    for (int d = threadIdx.x; d < length; d += blockDim.x) {
        Part place = places[(size_t)t * length + d];
        Part found[TEXTS];
#pragma unroll
        for (int k = 0; k < TEXTS; k++) {
            found[k] = words[(size_t)rows[k] * length + d];
        }
#pragma unroll
        for (int k = 0; k < TEXTS; k++) {
            if (first + k < B) {
                __stcs(&output[((size_t)(first + k) * T + t) * length + d], sum(found[k], place));
            }
        }
    }
}

template <typename Part>
void embed_all(const int* tokens, const float* words, const float* places, float* output, int B, int T, int length) {
    int threads = std::min((length + 31) / 32 * 32, 256);
    dim3 grid(T, (B + TEXTS - 1) / TEXTS);
    embed<<<grid, threads>>>(tokens, reinterpret_cast<const Part*>(words), reinterpret_cast<const Part*>(places),
                             reinterpret_cast<Part*>(output), B, T, length);
}

extern "C" void solve(const int* tokens, const float* words, const float* places, float* output, int B, int T, int V,
                      int D) {
    if (D % 4 == 0) {
        embed_all<float4>(tokens, words, places, output, B, T, D / 4);
    } else {
        embed_all<float>(tokens, words, places, output, B, T, D);
    }
}
