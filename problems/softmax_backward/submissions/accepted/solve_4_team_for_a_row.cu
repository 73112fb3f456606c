// expect: accepted
//
// Softmax backward, step 4: as many threads for a row as it needs.
//
// Added to step 3: the host chooses. Rows of up to 1024 elements get a warp each, eight to a block: no thread is idle
// and no barrier is left. Longer ones get a block, of 1024 threads at last. Both inputs stay in registers up to 8192
// elements, and a third of a row of 50,000. Expect the most from short rows, where step 3 starts 256 threads for 64 float4.

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

__device__ __forceinline__ float dot_of(float4 y, float4 dy) {
    return y.x * dy.x + y.y * dy.y + (y.z * dy.z + y.w * dy.w);
}

__device__ __forceinline__ float4 gradient_of(float4 y, float4 dy, float dot) {
    return make_float4(y.x * (dy.x - dot), y.y * (dy.y - dot), y.z * (dy.z - dot), y.w * (dy.w - dot));
}

template <int THREADS, int KEPT>
__global__ void __launch_bounds__(THREADS == 32 ? BLOCK : THREADS)
    gradient_rows(const float* __restrict__ output, const float* __restrict__ upstream, float* __restrict__ gradient,
                  int M, int N) {
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
    const float* y = output + first;
    const float* dy = upstream + first;
    float* dx = gradient + first;
    const float4* y4 = reinterpret_cast<const float4*>(y + before);
    const float4* dy4 = reinterpret_cast<const float4*>(dy + before);
    float4* dx4 = reinterpret_cast<float4*>(dx + before);

    float4 kept_y[KEPT], kept_dy[KEPT];
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        const int place = k * THREADS + thread;
        kept_y[k] = place < fours ? y4[place] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        kept_dy[k] = place < fours ? dy4[place] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    float dot = (has_head ? y[thread] * dy[thread] : 0.0f) + (has_tail ? y[behind] * dy[behind] : 0.0f);
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        dot += dot_of(kept_y[k], kept_dy[k]);
    }
    for (int place = KEPT * THREADS + thread; place < fours; place += THREADS) {
        dot += dot_of(y4[place], dy4[place]);
    }
    dot = sum_of_team<THREADS>(dot);

#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        const int place = k * THREADS + thread;
        if (place < fours) {
            dx4[place] = gradient_of(kept_y[k], kept_dy[k], dot);
        }
    }
    for (int place = KEPT * THREADS + thread; place < fours; place += THREADS) {
        dx4[place] = gradient_of(y4[place], dy4[place], dot);
    }
    if (has_head) {
        dx[thread] = y[thread] * (dy[thread] - dot);
    }
    if (has_tail) {
        dx[behind] = y[behind] * (dy[behind] - dot);
    }
}

extern "C" void solve(const float* output, const float* upstream, float* gradient, int M, int N) {
    const int rows_of_warps = (M + BLOCK / 32 - 1) / (BLOCK / 32);
    if (N <= 256) {
        gradient_rows<32, 2><<<rows_of_warps, BLOCK>>>(output, upstream, gradient, M, N);
    } else if (N <= 1024) {
        gradient_rows<32, 8><<<rows_of_warps, BLOCK>>>(output, upstream, gradient, M, N);
    } else if (N <= 8192) {
        gradient_rows<256, 8><<<M, 256>>>(output, upstream, gradient, M, N);
    } else {
        gradient_rows<1024, 4><<<M, 1024>>>(output, upstream, gradient, M, N);
    }
}
