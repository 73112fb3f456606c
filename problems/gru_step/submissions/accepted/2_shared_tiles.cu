// expect: accepted
//
// GRU step, step 2: tiles of inputs and weights in shared memory.
//
// Added to step 1: a block reads each number of its 16 sequences and of its 3 x 16 rows of weights once, in whole
// lines. That is a sixteenth of the reads from memory; three products cost four reads of shared memory.

#define TILE 16

__device__ float sigmoid(float a) {
    return 1.0f / (1.0f + expf(-a));
}

// Adds to the three sums the products of a row of `values` (B x length) and rows of `weights` (3 x H x length).
__device__ __forceinline__ void add_products(const float* __restrict__ values, const float* __restrict__ weights,
                                             int length, int B, int H, float (&sums)[3],
                                             float (&value_tile)[TILE][TILE], float (&weight_tile)[3][TILE][TILE + 1]) {
    int b = blockIdx.y * TILE + threadIdx.y;
    int row = blockIdx.x * TILE + threadIdx.y;
    for (int first = 0; first < length; first += TILE) {
        int k = first + threadIdx.x;
        value_tile[threadIdx.y][threadIdx.x] = b < B && k < length ? values[b * length + k] : 0.0f;
#pragma unroll
        for (int g = 0; g < 3; g++) {
            weight_tile[g][threadIdx.y][threadIdx.x] =
                row < H && k < length ? weights[(g * H + row) * length + k] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) {
            float value = value_tile[threadIdx.y][k];
#pragma unroll
            for (int g = 0; g < 3; g++) {
                sums[g] += weight_tile[g][threadIdx.x][k] * value;
            }
        }
        __syncthreads();
    }
}

__global__ void __launch_bounds__(TILE* TILE)
    gru_kernel(const float* __restrict__ x, const float* __restrict__ h, const float* __restrict__ W,
               const float* __restrict__ U, const float* __restrict__ w_bias, const float* __restrict__ u_bias,
               float* __restrict__ next, int B, int D, int H) {
    __shared__ float value_tile[TILE][TILE];
    __shared__ float weight_tile[3][TILE][TILE + 1];
    float of_x[3] = {};
    float of_h[3] = {};
    add_products(x, W, D, B, H, of_x, value_tile, weight_tile);
    add_products(h, U, H, B, H, of_h, value_tile, weight_tile);
    int j = blockIdx.x * TILE + threadIdx.x;
    int b = blockIdx.y * TILE + threadIdx.y;
    if (b < B && j < H) {
        float r = sigmoid(of_x[0] + of_h[0] + w_bias[j] + u_bias[j]);
        float z = sigmoid(of_x[1] + of_h[1] + w_bias[H + j] + u_bias[H + j]);
        float n = tanhf(of_x[2] + w_bias[2 * H + j] + r * (of_h[2] + u_bias[2 * H + j]));
        next[b * H + j] = (1.0f - z) * n + z * h[b * H + j];
    }
}
