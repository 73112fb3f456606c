// expect: accepted
//
// Cross-entropy backward, step 4: as many threads for a row as it needs, and each exponential once.
//
// Added to step 3: the host chooses. Rows of up to 1024 elements get a warp each, eight to a block: no thread is idle
// and no barrier is left. Longer ones get a block, of 1024 threads at last, whose registers hold 41,000 elements. With
// the row in registers the largest comes first and the sum second; no sum has to be scaled, and the exponentials stay
// in place of the elements. Expect the most from short rows.

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

// The gradient of an element with this exponential at place j.
struct Slope {
    float factor;
    float scale;
    int label;

    __device__ __forceinline__ float of(float e, int j) const {
        return (e * factor - (j == label ? 1.0f : 0.0f)) * scale;
    }

    __device__ __forceinline__ float4 of(float4 e, int j) const {
        return make_float4(of(e.x, j), of(e.y, j + 1), of(e.z, j + 2), of(e.w, j + 3));
    }
};

template <int THREADS, int KEPT>
__global__ void __launch_bounds__(THREADS == 32 ? BLOCK : THREADS)
    gradient_rows(const float* __restrict__ logits, const int* __restrict__ labels, const float* __restrict__ upstream,
                  float* __restrict__ gradient, int M, int N) {
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
    const float* in = logits + first;
    float* out = gradient + first;
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
    const Slope slope = {1.0f / sum_of_team<THREADS>(sum), upstream[row], labels[row]};

#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        const int place = k * THREADS + thread;
        if (place < fours) {
            out4[place] = slope.of(kept[k], before + 4 * place);
        }
    }
    for (int place = KEPT * THREADS + thread; place < fours; place += THREADS) {
        out4[place] = slope.of(exponentials(in4[place], largest), before + 4 * place);
    }
    if (has_head) {
        out[thread] = slope.of(head, thread);
    }
    if (has_tail) {
        out[behind] = slope.of(tail, behind);
    }
}

extern "C" void solve(const float* logits, const int* labels, const float* upstream, float* gradient, int M, int N) {
    const int rows_of_warps = (M + BLOCK / 32 - 1) / (BLOCK / 32);
    if (N <= 256) {
        gradient_rows<32, 2><<<rows_of_warps, BLOCK>>>(logits, labels, upstream, gradient, M, N);
    } else if (N <= 1024) {
        gradient_rows<32, 8><<<rows_of_warps, BLOCK>>>(logits, labels, upstream, gradient, M, N);
    } else if (N <= 8192) {
        gradient_rows<256, 8><<<M, 256>>>(logits, labels, upstream, gradient, M, N);
    } else {
        gradient_rows<1024, 10><<<M, 1024>>>(logits, labels, upstream, gradient, M, N);
    }
}
