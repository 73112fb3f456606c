// expect: accepted
//
// Softmax, step 4: as many threads for a row as it needs, and the row in registers.
//
// Added to step 3: the host chooses. Rows of up to 1024 elements get a warp each, eight to a block, so that no thread
// is idle and no barrier is left; longer ones get a block, of 1024 threads at last. A thread keeps its float4 of the row,
// and replaces them by their exponentials: each is computed once, the row is read once and written once. Only what a
// row has beyond 41,000 elements is read again. Expect the most from short rows, where step 3 spends its time on
// starting blocks and joining pairs.

#include <cuda_runtime.h>

#define BLOCK 256

__device__ __forceinline__ float largest_of_warp(float own) {
    for (int distance = 16; distance > 0; distance /= 2) {
        own = fmaxf(own, __shfl_xor_sync(0xffffffff, own, distance));
    }
    return own;
}

__device__ __forceinline__ float sum_of_warp(float own) {
    for (int distance = 16; distance > 0; distance /= 2) {
        own += __shfl_xor_sync(0xffffffff, own, distance);
    }
    return own;
}

template <int THREADS>
__device__ __forceinline__ float largest_of_team(float own) {
    own = largest_of_warp(own);
    if (THREADS > 32) {
        __shared__ float parts[THREADS / 32];
        // Of an earlier call, too: nobody may still read what that left here.
        __syncthreads();
        if (threadIdx.x % 32 == 0) {
            parts[threadIdx.x / 32] = own;
        }
        __syncthreads();
        own = largest_of_warp(threadIdx.x % 32 < THREADS / 32 ? parts[threadIdx.x % 32] : -INFINITY);
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

__device__ __forceinline__ float largest_of_four(float4 x) { return fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)); }

__device__ __forceinline__ float4 exponentials(float4 x, float largest) {
    return make_float4(expf(x.x - largest), expf(x.y - largest), expf(x.z - largest), expf(x.w - largest));
}

template <int THREADS, int KEPT>
__global__ void __launch_bounds__(THREADS == 32 ? BLOCK : THREADS)
    softmax_rows(const float* __restrict__ input, float* __restrict__ output, int M, int N) {
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
    float head = has_head ? in[thread] : -INFINITY;
    float tail = has_tail ? in[behind] : -INFINITY;
    float largest = fmaxf(head, tail);
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        const int place = k * THREADS + thread;
        kept[k] = place < fours ? in4[place] : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
        largest = fmaxf(largest, largest_of_four(kept[k]));
    }
    for (int place = KEPT * THREADS + thread; place < fours; place += THREADS) {
        largest = fmaxf(largest, largest_of_four(in4[place]));
    }
    largest = largest_of_team<THREADS>(largest);

    head = expf(head - largest);
    tail = expf(tail - largest);
    float sum = head + tail;
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        kept[k] = exponentials(kept[k], largest);
        sum += (kept[k].x + kept[k].y) + (kept[k].z + kept[k].w);
    }
    for (int place = KEPT * THREADS + thread; place < fours; place += THREADS) {
        const float4 e = exponentials(in4[place], largest);
        sum += (e.x + e.y) + (e.z + e.w);
    }
    const float scale = 1.0f / sum_of_team<THREADS>(sum);

#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        const int place = k * THREADS + thread;
        if (place < fours) {
            const float4 e = kept[k];
            out4[place] = make_float4(e.x * scale, e.y * scale, e.z * scale, e.w * scale);
        }
    }
    for (int place = KEPT * THREADS + thread; place < fours; place += THREADS) {
        const float4 e = exponentials(in4[place], largest);
        out4[place] = make_float4(e.x * scale, e.y * scale, e.z * scale, e.w * scale);
    }
    if (has_head) {
        out[thread] = head * scale;
    }
    if (has_tail) {
        out[behind] = tail * scale;
    }
}

extern "C" void solve(const float* input, float* output, int M, int N) {
    const int rows_of_warps = (M + BLOCK / 32 - 1) / (BLOCK / 32);
    if (N <= 256) {
        softmax_rows<32, 2><<<rows_of_warps, BLOCK>>>(input, output, M, N);
    } else if (N <= 1024) {
        softmax_rows<32, 8><<<rows_of_warps, BLOCK>>>(input, output, M, N);
    } else if (N <= 8192) {
        softmax_rows<256, 8><<<M, 256>>>(input, output, M, N);
    } else {
        softmax_rows<1024, 10><<<M, 1024>>>(input, output, M, N);
    }
}
