// expect: accepted
//
// 1D convolution with host code of its own: twelve neighbouring outputs a thread, their elements in a ring of registers.
//
// Added to four outputs a thread: neighbouring outputs share their elements, not only the weight. A thread keeps sixteen
// elements in registers; of four new ones and four weights, each of them one read of 16 bytes, it makes 48 products. That
// is a tenth of the reads, and arithmetic is the limit. Zeros before the weights let the tile begin at a multiple of 16
// bytes, so that it comes by asynchronous copies of that width; zeros behind them fill up the last round. Results go
// through shared memory, so that a warp stores what lies together. Expect a third of the time with 63 weights.

#include <cuda_runtime.h>

constexpr int BLOCK = 128;
constexpr int EACH = 12;
constexpr int TILE = BLOCK * EACH;
constexpr int ROUND = 16;
constexpr int MOST = 1040;  // 1023 weights, up to three zeros before them, filled up to a multiple of ROUND

__global__ void __launch_bounds__(BLOCK)
    convolve(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output, int N, int K,
             int before, int terms) {
    __shared__ float4 tile[(TILE + MOST) / 4];
    __shared__ float4 own[MOST / 4];
    const int start = blockIdx.x * TILE;
    for (int k = threadIdx.x; k < (TILE + terms) / 4; k += BLOCK) {
        const int from = start - K / 2 - before + 4 * k;
        // What lies before the input or behind it is filled with zeros.
        const int bytes = from < 0 ? 0 : 4 * min(max(N - from, 0), 4);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(&tile[k])),
                     "l"(input + (bytes > 0 ? from : 0)), "r"(bytes)
                     : "memory");
    }
    for (int k = threadIdx.x; k < terms; k += BLOCK) {
        const int j = k - before;
        reinterpret_cast<float*>(own)[k] = j >= 0 && j < K ? weights[j] : 0.0f;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();

    // Threads are three float4 apart, an odd number: eight of them read from 32 different banks.
    const float4* mine = tile + threadIdx.x * (EACH / 4);
    float ring[ROUND];
#pragma unroll
    for (int k = 0; k < EACH / 4; k++) {
        *reinterpret_cast<float4*>(&ring[4 * k]) = mine[k];
    }
    float sums[EACH] = {};
    for (int first = 0; first < terms; first += ROUND) {
#pragma unroll
        for (int j = 0; j < ROUND; j += 4) {
            const float4 fresh = mine[(first + j + EACH) / 4];
            ring[(j + EACH) % ROUND] = fresh.x;
            ring[(j + EACH + 1) % ROUND] = fresh.y;
            ring[(j + EACH + 2) % ROUND] = fresh.z;
            ring[(j + EACH + 3) % ROUND] = fresh.w;
            const float4 weight = own[(first + j) / 4];
#pragma unroll
            for (int o = 0; o < EACH; o++) {
                sums[o] += weight.x * ring[(j + o) % ROUND];
                sums[o] += weight.y * ring[(j + o + 1) % ROUND];
                sums[o] += weight.z * ring[(j + o + 2) % ROUND];
                sums[o] += weight.w * ring[(j + o + 3) % ROUND];
            }
        }
    }

    __syncthreads();
#pragma unroll
    for (int o = 0; o < EACH; o += 4) {
        tile[threadIdx.x * (EACH / 4) + o / 4] = make_float4(sums[o], sums[o + 1], sums[o + 2], sums[o + 3]);
    }
    __syncthreads();
#pragma unroll
    for (int k = threadIdx.x; k < TILE / 4; k += BLOCK) {
        const int at = start + 4 * k;
        const float4 four = tile[k];
        if (at + 3 < N) {
            *reinterpret_cast<float4*>(output + at) = four;
        } else {
            const float rest[3] = {four.x, four.y, four.z};
            for (int i = 0; i < 3; i++) {
                if (at + i < N) {
                    output[at + i] = rest[i];
                }
            }
        }
    }
}

extern "C" void solve(const float* input, const float* weights, float* output, int N, int K) {
    const int before = (4 - K / 2 % 4) % 4;
    const int terms = (before + K + ROUND - 1) / ROUND * ROUND;
    convolve<<<(N + TILE - 1) / TILE, BLOCK>>>(input, weights, output, N, K, before, terms);
}
