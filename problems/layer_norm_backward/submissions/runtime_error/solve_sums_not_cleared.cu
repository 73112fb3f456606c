// expect: runtime_error uninitialized_read
//
// Layer norm backward with host code that forgets to clear the sums.
//
// What atomicAdd adds to is whatever was there.

#include <algorithm>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;
constexpr int LONGEST = 6000;  // columns whose two sums fit into 48 KB, beside the parts of the warps
constexpr int STRIP_ROWS = 128;

struct Sums {
    float g;
    float g_normal;
};

__device__ __forceinline__ Sums of_warp(Sums sums) {
    for (int distance = 16; distance > 0; distance /= 2) {
        sums.g += __shfl_xor_sync(0xffffffff, sums.g, distance);
        sums.g_normal += __shfl_xor_sync(0xffffffff, sums.g_normal, distance);
    }
    return sums;
}

// The sums of the whole block, for every thread; `parts` has a place for each warp.
__device__ __forceinline__ Sums of_block(Sums sums, Sums* parts) {
    sums = of_warp(sums);
    int lane = threadIdx.x % 32;
    // The sums of the row before have been read by all.
    __syncthreads();
    if (lane == 0) {
        parts[threadIdx.x / 32] = sums;
    }
    __syncthreads();
    return of_warp(lane < BLOCK / 32 ? parts[lane] : Sums{0.0f, 0.0f});
}

// Dynamic shared memory holds N sums for the weights, then N for the biases, or nothing if columns are left out.
template <bool COLUMNS>
__global__ void __launch_bounds__(BLOCK)
    rows(const float* __restrict__ input, const float* __restrict__ weight, const float* __restrict__ mean,
         const float* __restrict__ inverse, const float* __restrict__ upstream, float* __restrict__ gradient,
         float* __restrict__ weight_gradient, float* __restrict__ bias_gradient, int M, int N) {
    extern __shared__ float columns[];
    __shared__ Sums parts[BLOCK / 32];
    if (COLUMNS) {
        for (int j = threadIdx.x; j < N; j += BLOCK) {
            columns[j] = 0.0f;
            columns[N + j] = 0.0f;
        }
    }
    for (int row = blockIdx.x; row < M; row += gridDim.x) {
        const float* x = input + (size_t)row * N;
        const float* up = upstream + (size_t)row * N;
        float* dx = gradient + (size_t)row * N;
        float center = mean[row];
        float factor = inverse[row];
        Sums sums = {0.0f, 0.0f};
#pragma unroll 4
        for (int j = threadIdx.x; j < N; j += BLOCK) {
            float g = up[j] * weight[j];
            sums.g += g;
            sums.g_normal += g * ((x[j] - center) * factor);
        }
        sums = of_block(sums, parts);
        float mean_g = sums.g / N;
        float mean_g_normal = sums.g_normal / N;
#pragma unroll 4
        for (int j = threadIdx.x; j < N; j += BLOCK) {
            float normal = (x[j] - center) * factor;
            dx[j] = factor * (up[j] * weight[j] - mean_g - normal * mean_g_normal);
            if (COLUMNS) {
                columns[j] += up[j] * normal;
                columns[N + j] += up[j];
            }
        }
    }
    if (COLUMNS) {
        for (int j = threadIdx.x; j < N; j += BLOCK) {
            atomicAdd(&weight_gradient[j], columns[j]);
            atomicAdd(&bias_gradient[j], columns[N + j]);
        }
    }
}

__global__ void __launch_bounds__(BLOCK)
    strips(const float* __restrict__ input, const float* __restrict__ mean, const float* __restrict__ inverse,
           const float* __restrict__ upstream, float* __restrict__ weight_gradient, float* __restrict__ bias_gradient,
           int M, int N) {
    int j = blockIdx.x * BLOCK + threadIdx.x;
    int end = min((int)(blockIdx.y + 1) * STRIP_ROWS, M);
    if (j >= N) {
        return;
    }
    float of_weight = 0.0f;
    float of_bias = 0.0f;
#pragma unroll 4
    for (int row = blockIdx.y * STRIP_ROWS; row < end; row++) {
        float up = upstream[(size_t)row * N + j];
        of_weight += up * ((input[(size_t)row * N + j] - mean[row]) * inverse[row]);
        of_bias += up;
    }
    atomicAdd(&weight_gradient[j], of_weight);
    atomicAdd(&bias_gradient[j], of_bias);
}

extern "C" void solve(const float* input, const float* weight, const float* mean, const float* inverse,
                      const float* upstream, float* gradient, float* weight_gradient, float* bias_gradient, int M,
                      int N) {
    if (N > LONGEST) {
        rows<false><<<M, BLOCK>>>(input, weight, mean, inverse, upstream, gradient, weight_gradient, bias_gradient, M,
                                  N);
        dim3 grid((N + BLOCK - 1) / BLOCK, (M + STRIP_ROWS - 1) / STRIP_ROWS);
        strips<<<grid, BLOCK>>>(input, mean, inverse, upstream, weight_gradient, bias_gradient, M, N);
        return;
    }
    int shared = 2 * N * sizeof(float);
    int resident = 0;
    int processors = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, rows<true>, BLOCK, shared);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    rows<true><<<std::min(M, std::max(resident, 1) * processors), BLOCK, shared>>>(
        input, weight, mean, inverse, upstream, gradient, weight_gradient, bias_gradient, M, N);
}
