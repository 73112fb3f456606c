// expect: accepted
//
// 1D convolution with host code of its own: four outputs a thread, weights in constant memory.
//
// Added to 3_shared_halo: a thread computes outputs that lie 128 apart, so that each weight that it reads serves four
// products. The weights are copied to constant memory, device to device, before the launch; all threads of a warp
// read the same one at the same time, the one pattern that constant memory serves at full speed.

#include <cuda_runtime.h>

constexpr int BLOCK = 128;
constexpr int OUTPUTS = 4;
constexpr int TILE = BLOCK * OUTPUTS;
constexpr int MOST_WEIGHTS = 1023;

__constant__ float constant_weights[MOST_WEIGHTS];

__global__ void convolve(const float* input, float* output, int N, int K) {
    __shared__ float elements[TILE + MOST_WEIGHTS - 1];
    const int start = blockIdx.x * TILE - K / 2;
    for (int e = threadIdx.x; e < TILE + K - 1; e += BLOCK) {
        const int from = start + e;
        elements[e] = from >= 0 && from < N ? input[from] : 0.0f;
    }
    __syncthreads();

    float sums[OUTPUTS] = {};
    for (int j = 0; j < K; ++j) {
        const float weight = constant_weights[j];
#pragma unroll
        for (int o = 0; o < OUTPUTS; ++o) {
            sums[o] += weight * elements[threadIdx.x + o * BLOCK + j];
        }
    }
    for (int o = 0; o < OUTPUTS; ++o) {
        const int i = blockIdx.x * TILE + o * BLOCK + threadIdx.x;
        if (i < N) {
            output[i] = sums[o];
        }
    }
}

extern "C" void solve(const float* input, const float* weights, float* output, int N, int K) {
    cudaMemcpyToSymbol(constant_weights, weights, K * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    convolve<<<(N + TILE - 1) / TILE, BLOCK>>>(input, output, N, K);
}
