// expect: accepted
//
// Layer norm, step 4: as many threads for a row as it needs, and the row in registers.
//
// Added to step 3: the host chooses. Rows of up to 512 elements get a warp each, eight to a block: no thread is idle
// and no barrier is left. Longer ones get a block, of 128 threads at first and 1024 at last. A thread keeps float4, so
// that rows of up to 41,000 elements are read once, 16 bytes at a time; weight and bias come by float4 as well, where
// the row begins at a multiple of 16 bytes. Mean and squares still are two sums, but of registers. Expect the most from
// short rows, where step 3 starts a block for a thousand bytes.

#include <cuda_runtime.h>

#define BLOCK 256

__device__ __forceinline__ float sum_of_warp(float own) {
    for (int distance = 16; distance > 0; distance /= 2) {
        own += __shfl_xor_sync(0xffffffff, own, distance);
    }
    return own;
}

// Each CALL has parts of its own: nobody can still read what an earlier one left there.
template <int THREADS, int CALL>
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

__device__ __forceinline__ float squares_of(float4 x, float mean) {
    const float4 d = make_float4(x.x - mean, x.y - mean, x.z - mean, x.w - mean);
    return (d.x * d.x + d.y * d.y) + (d.z * d.z + d.w * d.w);
}

// The result at place j of the row.
struct Scaled {
    const float* weight;
    const float* bias;
    float mean;
    float scale;

    __device__ __forceinline__ float of(float x, int j) const { return (x - mean) * scale * weight[j] + bias[j]; }

    __device__ __forceinline__ float4 of(float4 x, int j) const {
        if (j % 4 == 0) {
            const float4 w = *reinterpret_cast<const float4*>(weight + j);
            const float4 b = *reinterpret_cast<const float4*>(bias + j);
            return make_float4((x.x - mean) * scale * w.x + b.x, (x.y - mean) * scale * w.y + b.y,
                               (x.z - mean) * scale * w.z + b.z, (x.w - mean) * scale * w.w + b.w);
        }
        return make_float4(of(x.x, j), of(x.y, j + 1), of(x.z, j + 2), of(x.w, j + 3));
    }
};

template <int THREADS, int KEPT>
__global__ void __launch_bounds__(THREADS == 32 ? BLOCK : THREADS)
    norm_rows(const float* __restrict__ input, const float* __restrict__ weight, const float* __restrict__ bias,
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
    float sum = (has_head ? head : 0.0f) + (has_tail ? tail : 0.0f);
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        sum += (kept[k].x + kept[k].y) + (kept[k].z + kept[k].w);
    }
    for (int place = KEPT * THREADS + thread; place < fours; place += THREADS) {
        const float4 x = in4[place];
        sum += (x.x + x.y) + (x.z + x.w);
    }
    const float mean = sum_of_team<THREADS, 0>(sum) / N;

    float squares = (has_head ? (head - mean) * (head - mean) : 0.0f) +
                    (has_tail ? (tail - mean) * (tail - mean) : 0.0f);
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        if (k * THREADS + thread < fours) {
            squares += squares_of(kept[k], mean);
        }
    }
    for (int place = KEPT * THREADS + thread; place < fours; place += THREADS) {
        squares += squares_of(in4[place], mean);
    }
    const float scale = rsqrtf(sum_of_team<THREADS, 1>(squares) / N + 1e-5f);

    const Scaled scaled = {weight, bias, mean, scale};
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

extern "C" void solve(const float* input, const float* weight, const float* bias, float* output, int M, int N) {
    const int rows_of_warps = (M + BLOCK / 32 - 1) / (BLOCK / 32);
    if (N <= 256) {
        norm_rows<32, 2><<<rows_of_warps, BLOCK>>>(input, weight, bias, output, M, N);
    } else if (N <= 512) {
        norm_rows<32, 4><<<rows_of_warps, BLOCK>>>(input, weight, bias, output, M, N);
    } else if (N <= 1024) {
        norm_rows<128, 2><<<M, 128>>>(input, weight, bias, output, M, N);
    } else if (N <= 8192) {
        norm_rows<256, 8><<<M, 256>>>(input, weight, bias, output, M, N);
    } else {
        norm_rows<1024, 10><<<M, 1024>>>(input, weight, bias, output, M, N);
    }
}
