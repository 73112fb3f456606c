// expect: accepted
//
// RMS norm, step 4: as many threads for a row as it needs, and the row in registers.
//
// Added to step 3: the host chooses. Rows of up to 512 elements get a warp each, eight to a block: no thread is idle
// and no barrier is left. Longer ones get a block, of 128 threads at first and 1024 at last. A thread keeps its float4
// between the sum of squares and the result, so that rows of up to 41,000 elements are read once. Rows may begin
// anywhere; step 3 moved float4 only where the row's length was a multiple of four. The weights of long rows are loaded
// by fours as well where they can be.

#include <cuda_runtime.h>

#define BLOCK 256

__device__ __forceinline__ float sum_of_warp(float own) {
    for (int distance = 16; distance > 0; distance /= 2) {
        own += __shfl_xor_sync(0xffffffff, own, distance);
    }
    return own;
}

template <int THREADS>
__device__ __forceinline__ float sum_of_team(float own) {
    own = sum_of_warp(own);
    if (THREADS > 32) {
        __shared__ float parts[THREADS / 32];
        // Of an earlier call, too: nobody may still read what that left here.
        __syncthreads();
        if (threadIdx.x % 32 == 0) {
            parts[threadIdx.x / 32] = own;
        }
        __syncthreads();
        own = sum_of_warp(threadIdx.x % 32 < THREADS / 32 ? parts[threadIdx.x % 32] : 0.0f);
    }
    return own;
}

__device__ __forceinline__ float squares_of(float4 x) {
    return (x.x * x.x + x.y * x.y) + (x.z * x.z + x.w * x.w);
}

// The result at place j of the row.
struct Scaled {
    const float* weight;
    float scale;
    // The weights of the row's fours begin at multiples of 16 bytes, too.
    bool aligned;

    __device__ __forceinline__ float of(float x, int j) const { return x * scale * weight[j]; }

    __device__ __forceinline__ float4 of(float4 x, int j) const {
        if (aligned) {
            const float4 w = *reinterpret_cast<const float4*>(weight + j);
            return make_float4(x.x * scale * w.x, x.y * scale * w.y, x.z * scale * w.z, x.w * scale * w.w);
        }
        return make_float4(of(x.x, j), of(x.y, j + 1), of(x.z, j + 2), of(x.w, j + 3));
    }
};

template <int THREADS, int KEPT>
__global__ void __launch_bounds__(THREADS == 32 ? BLOCK : THREADS)
    norm_rows(const float* __restrict__ input, const float* __restrict__ weight,
              float* __restrict__ output, int M, int N) {
    const int row = THREADS == 32 ? blockIdx.x * (BLOCK / 32) + threadIdx.x / 32 : blockIdx.x;
    if (row >= M) {
        return;
    }
    const int thread = threadIdx.x % THREADS;
    const size_t first = (size_t)row * N;
    // Rows begin anywhere: up to three elements before the first multiple of 16 bytes, and behind the last one.
    const int before = min((int)(-first & 3), N);
    const int fours = (N - before) / 4;
    const int behind = before + 4 * fours + thread;
    const bool has_head = thread < before;
    const bool has_tail = behind < N;
    const float* in = input + first;
    float* out = output + first;
    const float4* in4 = reinterpret_cast<const float4*>(in + before);
    float4* out4 = reinterpret_cast<float4*>(out + before);

    float4 kept[KEPT];
    const float head = has_head ? in[thread] : 0.0f;
    const float tail = has_tail ? in[behind] : 0.0f;
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        const int place = k * THREADS + thread;
        kept[k] = place < fours ? in4[place] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    float squares = head * head + tail * tail;
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        squares += squares_of(kept[k]);
    }
    for (int place = KEPT * THREADS + thread; place < fours; place += THREADS) {
        squares += squares_of(in4[place]);
    }
    const float scale = rsqrtf(sum_of_team<THREADS>(squares) / N + 1e-5f);

    // With short rows the registers that this takes would cost more warps than it saves requests.
    const Scaled scaled = {weight, scale, THREADS > 128 && before == 0};
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        const int place = k * THREADS + thread;
        if (place < fours) {
            out4[place] = scaled.of(kept[k], before + 4 * place);
        }
    }
    for (int place = KEPT * THREADS + thread; place < fours; place += THREADS) {
        out4[place] = scaled.of(in4[place], before + 4 * place);
    }
    if (has_head) {
        out[thread] = scaled.of(head, thread);
    }
    if (has_tail) {
        out[behind] = scaled.of(tail, behind);
    }
}

extern "C" void solve(const float* input, const float* weight, float* output, int M, int N) {
    const int rows_of_warps = (M + BLOCK / 32 - 1) / (BLOCK / 32);
    if (N <= 256) {
        norm_rows<32, 2><<<rows_of_warps, BLOCK>>>(input, weight, output, M, N);
    } else if (N <= 512) {
        norm_rows<32, 4><<<rows_of_warps, BLOCK>>>(input, weight, output, M, N);
    } else if (N <= 1024) {
        norm_rows<128, 2><<<M, 128>>>(input, weight, output, M, N);
    } else if (N <= 8192) {
        norm_rows<256, 8><<<M, 256>>>(input, weight, output, M, N);
    } else {
        norm_rows<1024, 10><<<M, 1024>>>(input, weight, output, M, N);
    }
}
