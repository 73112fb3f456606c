// expect: accepted
//
// GRU step, step 3: four sequences a thread.
//
// Added to step 2: the tile of inputs is turned, so that one float4 holds a number of four sequences. With three
// weights it makes 12 products for four reads of shared memory instead of three. r and z need one sum of both products
// each, so that a thread has 16 sums. Where that would make fewer blocks than a large GPU has multiprocessors, the host
// launches a thread for each sequence as in step 2. Expect more than twice the speed of step 2; nothing but next is
// written.

#include <cuda_runtime.h>

#define TILE 16
#define THREADS (TILE * TILE)
#define ENOUGH 128  // blocks

__device__ __forceinline__ float sigmoid(float a) {
    return 1.0f / (1.0f + expf(-a));
}

template <int EACH>
__global__ void __launch_bounds__(THREADS)
    gru_step(const float* __restrict__ x, const float* __restrict__ h, const float* __restrict__ W,
             const float* __restrict__ U, const float* __restrict__ w_bias, const float* __restrict__ u_bias,
             float* __restrict__ next, int B, int D, int H) {
    // A row for each k, or as in step 2 for each sequence; weight_tile[gate][k][number of the state].
    constexpr bool TURNED = EACH > 1;
    constexpr int WIDTH = TURNED ? TILE * EACH + EACH : TILE;
    __shared__ __align__(16) float value_tile[TILE][WIDTH];
    __shared__ float weight_tile[3][TILE][TILE + 1];
    int thread = threadIdx.y * TILE + threadIdx.x;
    int begin = blockIdx.y * TILE * EACH;
    int row = blockIdx.x * TILE + threadIdx.y;
    int j = blockIdx.x * TILE + threadIdx.x;

    // The sums of r, z, W[2] x and U[2] h.
    float sums[4][EACH] = {};
#pragma unroll
    for (int part = 0; part < 2; part++) {
        const float* values = part == 0 ? x : h;
        const float* weights = part == 0 ? W : U;
        int length = part == 0 ? D : H;
        for (int first = 0; first < length; first += TILE) {
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                int place = e * THREADS + thread;
                int sequence = place / TILE;
                int k = place % TILE;
                value_tile[TURNED ? k : sequence][TURNED ? sequence : k] =
                    begin + sequence < B && first + k < length ? values[(begin + sequence) * length + first + k] : 0.0f;
            }
            int k = first + threadIdx.x;
#pragma unroll
            for (int g = 0; g < 3; g++) {
                weight_tile[g][threadIdx.x][threadIdx.y] =
                    row < H && k < length ? weights[(g * H + row) * length + k] : 0.0f;
            }
            __syncthreads();
#pragma unroll
            for (int k = 0; k < TILE; k++) {
                alignas(16) float value[EACH];
                if constexpr (EACH == 4) {
                    *reinterpret_cast<float4*>(value) =
                        *reinterpret_cast<const float4*>(&value_tile[k][threadIdx.y * EACH]);
                } else {
                    value[0] = value_tile[threadIdx.y][k];
                }
#pragma unroll
                for (int g = 0; g < 3; g++) {
                    float weight = weight_tile[g][k][threadIdx.x];
                    int sum = g < 2 ? g : 2 + part;
#pragma unroll
                    for (int e = 0; e < EACH; e++) {
                        sums[sum][e] += weight * value[e];
                    }
                }
            }
            __syncthreads();
        }
    }
    if (j >= H) {
        return;
    }
    float r_bias = w_bias[j] + u_bias[j];
    float z_bias = w_bias[H + j] + u_bias[H + j];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int b = begin + threadIdx.y * EACH + e;
        if (b < B) {
            float r = sigmoid(sums[0][e] + r_bias);
            float z = sigmoid(sums[1][e] + z_bias);
            float n = tanhf(sums[2][e] + w_bias[2 * H + j] + r * (sums[3][e] + u_bias[2 * H + j]));
            next[b * H + j] = (1.0f - z) * n + z * h[b * H + j];
        }
    }
}

extern "C" void solve(const float* x, const float* h, const float* W, const float* U, const float* w_bias,
                      const float* u_bias, float* next, int B, int D, int H) {
    const int across = (H + TILE - 1) / TILE;
    const dim3 block(TILE, TILE);
    const dim3 fours(across, (B + 4 * TILE - 1) / (4 * TILE));
    if (fours.x * fours.y >= ENOUGH) {
        gru_step<4><<<fours, block>>>(x, h, W, U, w_bias, u_bias, next, B, D, H);
    } else {
        gru_step<1><<<dim3(across, (B + TILE - 1) / TILE), block>>>(x, h, W, U, w_bias, u_bias, next, B, D, H);
    }
}
