// expect: accepted
//
// Cross-entropy, step 4: a warp for a short row, and the sum scaled once for sixteen elements.
//
// Added to step 3: the host chooses. Rows of up to 1024 elements get a warp each, eight to a block: no thread is idle
// and no barrier is left. Longer ones get 64 threads as before, and those above 4096 elements get 256. A thread loads
// four float4 before it looks at the first, so that four loads are under way; a new largest scales the sum once for all
// of them. Expect the most from short rows.

#include <cuda_runtime.h>

#define BLOCK 256
#define AT_ONCE 4

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
        if (threadIdx.x % 32 == 0) {
            parts[threadIdx.x / 32] = own;
        }
        __syncthreads();
        own = sum_of_warp(threadIdx.x % 32 < THREADS / 32 ? parts[threadIdx.x % 32] : 0.0f);
    }
    return own;
}

__device__ __forceinline__ float largest_of_four(float4 x) { return fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)); }

__device__ __forceinline__ float sum_of_four(float4 x, float largest) {
    return (expf(x.x - largest) + expf(x.y - largest)) + (expf(x.z - largest) + expf(x.w - largest));
}

template <int THREADS>
__global__ void __launch_bounds__(BLOCK)
    loss_rows(const float* __restrict__ logits, const int* __restrict__ labels, float* __restrict__ loss, int M, int N) {
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
    const float4* in4 = reinterpret_cast<const float4*>(in + before);

    // Finite, so that a thread without elements has no difference of infinities.
    const float least = -3.0e38f;
    float largest = least;
    float sum = 0.0f;
    for (int begin = thread; begin < fours; begin += AT_ONCE * THREADS) {
        float4 x[AT_ONCE];
        float now = largest;
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            const int place = begin + k * THREADS;
            x[k] = place < fours ? in4[place] : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            now = fmaxf(now, largest_of_four(x[k]));
        }
        sum *= expf(largest - now);
        largest = now;
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            sum += sum_of_four(x[k], largest);
        }
    }
    const float head = has_head ? in[thread] : -INFINITY;
    const float tail = has_tail ? in[behind] : -INFINITY;
    const float of_all = largest_of_team<THREADS>(fmaxf(largest, fmaxf(head, tail)));
    sum = sum * expf(largest - of_all) + expf(head - of_all) + expf(tail - of_all);
    sum = sum_of_team<THREADS>(sum);
    if (thread == 0) {
        loss[row] = logf(sum) + (of_all - in[labels[row]]);
    }
}

extern "C" void solve(const float* logits, const int* labels, float* loss, int M, int N) {
    if (N <= 1024) {
        loss_rows<32><<<(M + BLOCK / 32 - 1) / (BLOCK / 32), BLOCK>>>(logits, labels, loss, M, N);
    } else if (N <= 4096) {
        loss_rows<64><<<M, 64>>>(logits, labels, loss, M, N);
    } else {
        loss_rows<BLOCK><<<M, BLOCK>>>(logits, labels, loss, M, N);
    }
}
