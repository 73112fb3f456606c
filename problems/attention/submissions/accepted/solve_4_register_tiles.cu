// expect: accepted
//
// Attention, step 4: host code, and tiles of scores and of outputs in registers.
//
// Added to step 3: a block makes 64 rows with tiles of 64 words. Each of its 256 threads makes 4 x 4 scores and then four
// rows of outputs by a sixteenth of the columns: eight float4s from shared memory serve 64 multiplications instead of
// two. Probabilities go through shared memory, where the keys have been. Sixteen threads have a row together and keep
// its largest score and its sum. Rows in shared memory are four floats longer than needed, so that the lanes read from
// different banks. Expect two to six times the speed: the more blocks of 64 rows there are, the more.

#include <cuda_runtime.h>

constexpr int SIDE = 64;   // rows of Q that a block makes, words in a tile
constexpr int LANES = 16;  // threads that have a row together
constexpr int EACH = SIDE / LANES;  // rows, and words, of a thread
constexpr int THREADS = LANES * LANES;
constexpr int FOUR = 4;

// Copies rows from `first` on; zeros where there are none. WIDTH is 4 where rows can be moved as float4, else 1.
template <int DEPTH, int WIDTH>
__device__ __forceinline__ void load(float* tile, const float* matrix, int first, int N, int D) {
    constexpr int PITCH = DEPTH + FOUR;
#pragma unroll 8
    for (int k = threadIdx.x; k < SIDE * DEPTH / WIDTH; k += THREADS) {
        const int row = k * WIDTH / DEPTH;
        const int column = k * WIDTH % DEPTH;
        const bool there = first + row < N && column < D;
        const float* from = matrix + static_cast<size_t>(first + row) * D + column;
        if constexpr (WIDTH == FOUR) {
            *reinterpret_cast<float4*>(tile + row * PITCH + column) =
                there ? *reinterpret_cast<const float4*>(from) : float4{};
        } else {
            tile[row * PITCH + column] = there ? *from : 0.0f;
        }
    }
}

__device__ __forceinline__ float4 read(const float* from) {
    return *reinterpret_cast<const float4*>(from);
}

__device__ __forceinline__ void add(float4& sum, float p, float4 v) {
    sum.x += p * v.x;
    sum.y += p * v.y;
    sum.z += p * v.z;
    sum.w += p * v.w;
}

template <int DEPTH, int WIDTH>
__global__ void __launch_bounds__(THREADS, 1)
    attend(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V,
           float* __restrict__ output, int N, int D, int causal) {
    constexpr int PITCH = DEPTH + FOUR;
    constexpr int PARTS = DEPTH / LANES / FOUR;
    extern __shared__ __align__(16) float memory[];
    float* queries = memory;
    float* keys = queries + SIDE * PITCH;
    float* values = keys + SIDE * PITCH;
    float* weights = keys;
    const int x = threadIdx.x % LANES;
    const int y = threadIdx.x / LANES * EACH;
    // The last rows see most: they come first.
    const int first_row = (gridDim.x - 1 - blockIdx.x) * SIDE;
    const float root = sqrtf(static_cast<float>(D));

    load<DEPTH, WIDTH>(queries, Q, first_row, N, D);
    float4 result[EACH][PARTS] = {};
    float largest[EACH];
    float sum[EACH] = {};
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        largest[i] = -INFINITY;
    }

    const int seen = causal ? min(N, first_row + SIDE) : N;
    for (int first = 0; first < seen; first += SIDE) {
        __syncthreads();
        load<DEPTH, WIDTH>(keys, K, first, N, D);
        load<DEPTH, WIDTH>(values, V, first, N, D);
        __syncthreads();
        float score[EACH][EACH] = {};
#pragma unroll 4
        for (int d = 0; d < DEPTH; d += FOUR) {
            float4 q[EACH];
            float4 k[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                q[i] = read(queries + (y + i) * PITCH + d);
                k[i] = read(keys + (x + i * LANES) * PITCH + d);
            }
#pragma unroll
            for (int i = 0; i < EACH; i++) {
#pragma unroll
                for (int j = 0; j < EACH; j++) {
                    score[i][j] += q[i].x * k[j].x + q[i].y * k[j].y + q[i].z * k[j].z + q[i].w * k[j].w;
                }
            }
        }
        // All have read the keys: weights take their place.
        __syncthreads();
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            float larger = largest[i];
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                const int word = first + x + j * LANES;
                const bool allowed = word < N && (!causal || word <= first_row + y + i);
                score[i][j] = allowed ? score[i][j] / root : -INFINITY;
                larger = fmaxf(larger, score[i][j]);
            }
#pragma unroll
            for (int distance = LANES / 2; distance > 0; distance /= 2) {
                larger = fmaxf(larger, __shfl_xor_sync(~0u, larger, distance));
            }
            const float correction = expf(largest[i] - larger);
            largest[i] = larger;
            sum[i] *= correction;
#pragma unroll
            for (int part = 0; part < PARTS; part++) {
                result[i][part].x *= correction;
                result[i][part].y *= correction;
                result[i][part].z *= correction;
                result[i][part].w *= correction;
            }
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                const float weight = expf(score[i][j] - larger);
                sum[i] += weight;
                weights[(y + i) * PITCH + x + j * LANES] = weight;
            }
        }
        __syncthreads();
#pragma unroll 2
        for (int k = 0; k < SIDE; k += FOUR) {
            float4 p[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                p[i] = read(weights + (y + i) * PITCH + k);
            }
#pragma unroll
            for (int part = 0; part < PARTS; part++) {
                const float* from = values + k * PITCH + (part * LANES + x) * FOUR;
                const float4 v[FOUR] = {read(from), read(from + PITCH), read(from + 2 * PITCH), read(from + 3 * PITCH)};
#pragma unroll
                for (int i = 0; i < EACH; i++) {
                    add(result[i][part], p[i].x, v[0]);
                    add(result[i][part], p[i].y, v[1]);
                    add(result[i][part], p[i].z, v[2]);
                    add(result[i][part], p[i].w, v[3]);
                }
            }
        }
    }

#pragma unroll
    for (int i = 0; i < EACH; i++) {
        float total = sum[i];
#pragma unroll
        for (int distance = LANES / 2; distance > 0; distance /= 2) {
            total += __shfl_xor_sync(~0u, total, distance);
        }
        const int row = first_row + y + i;
        if (row >= N) {
            continue;
        }
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            const int column = (part * LANES + x) * FOUR;
            const float four[FOUR] = {result[i][part].x / total, result[i][part].y / total, result[i][part].z / total,
                                      result[i][part].w / total};
            float* to = output + static_cast<size_t>(row) * D + column;
            if (WIDTH == FOUR && column < D) {
                *reinterpret_cast<float4*>(to) = make_float4(four[0], four[1], four[2], four[3]);
            } else if (WIDTH == 1) {
#pragma unroll
                for (int c = 0; c < FOUR; c++) {
                    if (column + c < D) to[c] = four[c];
                }
            }
        }
    }
}

template <int DEPTH, int WIDTH>
void launch(const float* Q, const float* K, const float* V, float* output, int N, int D, int causal) {
    constexpr int BYTES = 3 * SIDE * (DEPTH + FOUR) * sizeof(float);
    cudaFuncSetAttribute(attend<DEPTH, WIDTH>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    attend<DEPTH, WIDTH><<<(N + SIDE - 1) / SIDE, THREADS, BYTES>>>(Q, K, V, output, N, D, causal);
}

extern "C" void solve(const float* Q, const float* K, const float* V, float* output, int N, int D, int causal) {
    if (D <= 64) {
        D % FOUR == 0 ? launch<64, FOUR>(Q, K, V, output, N, D, causal) : launch<64, 1>(Q, K, V, output, N, D, causal);
    } else {
        D % FOUR == 0 ? launch<128, FOUR>(Q, K, V, output, N, D, causal)
                      : launch<128, 1>(Q, K, V, output, N, D, causal);
    }
}
