// expect: accepted
//
// Attention backward, step 3: tiles in shared memory, one launch for rows and one for columns, no atomics.
//
// Added to step 2: a block keeps 64 rows of two arrays and lets tiles of 32 rows of the two others pass by. Each thread
// computes 4 x 2 scores and changes, leaves weights in shared memory, and adds up 4 x 4 elements of two products. In
// the first launch Q and upstream stay. As dQ = (sum of p change K - mean * sum of p K) / sqrt(D), one loop with
// corrections gives dQ, and the largest score, the sum and the mean of each row besides. In the second launch K and V
// stay, so that the sums of a column are kept in registers where step 2 has 2 D atomics for each pair. A number from
// shared memory serves several multiplications; expect five times the speed of step 2.

#include <cuda_runtime.h>

#define THREADS 256
#define MOST 64           // columns
#define STAYING 64        // rows that a block keeps
#define PASSING 32        // rows of a tile that passes by
#define PITCH (MOST + 4)  // floats of a row: eight of them begin in different groups of four banks

struct Statistic {
    float largest;
    float inverse;  // of the sum
    float mean;
};

struct Shared {
    float staying[2][STAYING][PITCH];
    float passing[2][PASSING][PITCH];
    float weights[2][PASSING][PITCH];
};

// Copies rows first .. first + ROWS - 1 of a head, with zeros outside of it.
template <int ROWS>
__device__ __forceinline__ void load(float (*tile)[PITCH], const float* __restrict__ from, int first, int N, int D) {
    if (D % 4 == 0) {
        // Rows begin at multiples of 16 bytes.
#pragma unroll
        for (int k = threadIdx.x; k < ROWS * (MOST / 4); k += THREADS) {
            const int row = k / (MOST / 4);
            const int d = k % (MOST / 4) * 4;
            const bool inside = first + row < N && d < D;
            *reinterpret_cast<float4*>(&tile[row][d]) =
                inside ? *reinterpret_cast<const float4*>(from + (first + row) * D + d) : float4{0, 0, 0, 0};
        }
    } else {
        for (int k = threadIdx.x; k < ROWS * MOST; k += THREADS) {
            const int row = k / MOST;
            const int d = k % MOST;
            tile[row][d] = first + row < N && d < D ? from[(first + row) * D + d] : 0.0f;
        }
    }
}

__device__ __forceinline__ float4 four(const float* from) { return *reinterpret_cast<const float4*>(from); }

__device__ __forceinline__ float dot(float4 a, float4 b, float sum) {
    return fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, fmaf(a.w, b.w, sum))));
}

// Rows 4 y .. 4 y + 3 of what stays, times rows x and x + 16 of what passes.
__device__ __forceinline__ void multiply(const float (*staying)[PITCH], const float (*passing)[PITCH], int x, int y,
                                         int D, float (&products)[4][2]) {
#pragma unroll 4
    for (int d = 0; d < D; d += 4) {
        const float4 b[2] = {four(&passing[x][d]), four(&passing[x + 16][d])};
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const float4 a = four(&staying[4 * y + r][d]);
            products[r][0] = dot(a, b[0], products[r][0]);
            products[r][1] = dot(a, b[1], products[r][1]);
        }
    }
}

// Adds weights times what passes to rows 4 y .. 4 y + 3, columns 4 x .. 4 x + 3.
__device__ __forceinline__ void add(float (&sums)[4][4], float4 weights, float4 passing) {
    const float w[4] = {weights.x, weights.y, weights.z, weights.w};
#pragma unroll
    for (int r = 0; r < 4; r++) {
        sums[r][0] = fmaf(w[r], passing.x, sums[r][0]);
        sums[r][1] = fmaf(w[r], passing.y, sums[r][1]);
        sums[r][2] = fmaf(w[r], passing.z, sums[r][2]);
        sums[r][3] = fmaf(w[r], passing.w, sums[r][3]);
    }
}

// Of the sixteen threads that share rows.
__device__ __forceinline__ float sum_of_sixteen(float own) {
    for (int distance = 8; distance > 0; distance /= 2) {
        own += __shfl_xor_sync(0xffffffff, own, distance);
    }
    return own;
}

__device__ __forceinline__ void store(float* to, const float (&sums)[4], int x, int D) {
#pragma unroll
    for (int c = 0; c < 4; c++) {
        if (4 * x + c < D) {
            to[4 * x + c] = sums[c];
        }
    }
}

__global__ void __launch_bounds__(THREADS, 2)
    rows(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V,
         const float* __restrict__ upstream, float* __restrict__ dQ, Statistic* __restrict__ statistics, int N, int D,
         int causal) {
    extern __shared__ float4 memory[];
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    const int x = threadIdx.x % 16;
    const int y = threadIdx.x / 16;
    const int first = blockIdx.x * STAYING;
    const size_t head = (size_t)blockIdx.y * N * D;
    const float scale = 1.0f / sqrtf((float)D);
    const int last = causal ? min(N, first + STAYING) : N;
    load<STAYING>(shared.staying[0], Q + head, first, N, D);
    load<STAYING>(shared.staying[1], upstream + head, first, N, D);

    float with_change[4][4] = {};
    float without[4][4] = {};
    float largest[4], sum[4], mean[4];
#pragma unroll
    for (int r = 0; r < 4; r++) {
        largest[r] = -INFINITY;
        sum[r] = 0.0f;
        mean[r] = 0.0f;
    }
    for (int start = 0; start < last; start += PASSING) {
        load<PASSING>(shared.passing[0], K + head, start, N, D);
        load<PASSING>(shared.passing[1], V + head, start, N, D);
        __syncthreads();
        float score[4][2] = {};
        float change[4][2] = {};
        multiply(shared.staying[0], shared.passing[0], x, y, D, score);
        multiply(shared.staying[1], shared.passing[1], x, y, D, change);

        float4 weights[2][2];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const int i = first + 4 * y + r;
            float larger = largest[r];
#pragma unroll
            for (int c = 0; c < 2; c++) {
                const int j = start + x + 16 * c;
                const bool seen = i < N && j < N && (!causal || j <= i);
                score[r][c] = seen ? score[r][c] * scale : -INFINITY;
                larger = fmaxf(larger, score[r][c]);
            }
            for (int distance = 8; distance > 0; distance /= 2) {
                larger = fmaxf(larger, __shfl_xor_sync(0xffffffff, larger, distance));
            }
            // A row that has seen nothing yet has minus infinity, whose difference is not a number.
            const float correction = larger > largest[r] ? __expf(largest[r] - larger) : 1.0f;
            largest[r] = larger;
            sum[r] *= correction;
            mean[r] *= correction;
#pragma unroll
            for (int d = 0; d < 4; d++) {
                with_change[r][d] *= correction;
                without[r][d] *= correction;
            }
#pragma unroll
            for (int c = 0; c < 2; c++) {
                const float e = score[r][c] > -INFINITY ? __expf(score[r][c] - larger) : 0.0f;
                sum[r] += e;
                mean[r] += e * change[r][c];
                reinterpret_cast<float*>(&weights[0][c])[r] = e * change[r][c];
                reinterpret_cast<float*>(&weights[1][c])[r] = e;
            }
        }
#pragma unroll
        for (int c = 0; c < 2; c++) {
            *reinterpret_cast<float4*>(&shared.weights[0][x + 16 * c][4 * y]) = weights[0][c];
            *reinterpret_cast<float4*>(&shared.weights[1][x + 16 * c][4 * y]) = weights[1][c];
        }
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < PASSING; j++) {
            const float4 k = four(&shared.passing[0][j][4 * x]);
            add(with_change, four(&shared.weights[0][j][4 * y]), k);
            add(without, four(&shared.weights[1][j][4 * y]), k);
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
        const int i = first + 4 * y + r;
        const float inverse = 1.0f / sum_of_sixteen(sum[r]);
        const float of_row = sum_of_sixteen(mean[r]) * inverse;
        if (i < N) {
            float gradient[4];
#pragma unroll
            for (int d = 0; d < 4; d++) {
                gradient[d] = (with_change[r][d] - of_row * without[r][d]) * (inverse * scale);
            }
            store(dQ + head + i * D, gradient, x, D);
            if (x == 0) {
                statistics[(size_t)blockIdx.y * N + i] = {largest[r], inverse, of_row};
            }
        }
    }
}

__global__ void __launch_bounds__(THREADS, 2)
    columns(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V,
            const float* __restrict__ upstream, const Statistic* __restrict__ statistics, float* __restrict__ dK,
            float* __restrict__ dV, int N, int D, int causal) {
    extern __shared__ float4 memory[];
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    const int x = threadIdx.x % 16;
    const int y = threadIdx.x / 16;
    const int first = blockIdx.x * STAYING;
    const size_t head = (size_t)blockIdx.y * N * D;
    const float scale = 1.0f / sqrtf((float)D);
    load<STAYING>(shared.staying[0], K + head, first, N, D);
    load<STAYING>(shared.staying[1], V + head, first, N, D);

    float keys[4][4] = {};
    float values[4][4] = {};
    // With the mask no earlier row sees these words.
    for (int start = causal ? first : 0; start < N; start += PASSING) {
        load<PASSING>(shared.passing[0], Q + head, start, N, D);
        load<PASSING>(shared.passing[1], upstream + head, start, N, D);
        __syncthreads();
        float score[4][2] = {};
        float change[4][2] = {};
        multiply(shared.staying[0], shared.passing[0], x, y, D, score);
        multiply(shared.staying[1], shared.passing[1], x, y, D, change);
#pragma unroll
        for (int c = 0; c < 2; c++) {
            const int i = start + x + 16 * c;
            const Statistic row = i < N ? statistics[(size_t)blockIdx.y * N + i] : Statistic{0.0f, 0.0f, 0.0f};
            float of_scores[4], p[4];
#pragma unroll
            for (int r = 0; r < 4; r++) {
                const int j = first + 4 * y + r;
                const bool seen = i < N && j < N && (!causal || j <= i);
                p[r] = seen ? __expf(score[r][c] * scale - row.largest) * row.inverse : 0.0f;
                of_scores[r] = p[r] * (change[r][c] - row.mean);
            }
            *reinterpret_cast<float4*>(&shared.weights[0][x + 16 * c][4 * y]) =
                float4{of_scores[0], of_scores[1], of_scores[2], of_scores[3]};
            *reinterpret_cast<float4*>(&shared.weights[1][x + 16 * c][4 * y]) = float4{p[0], p[1], p[2], p[3]};
        }
        __syncthreads();
#pragma unroll 4
        for (int i = 0; i < PASSING; i++) {
            add(keys, four(&shared.weights[0][i][4 * y]), four(&shared.passing[0][i][4 * x]));
            add(values, four(&shared.weights[1][i][4 * y]), four(&shared.passing[1][i][4 * x]));
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
        const int j = first + 4 * y + r;
        if (j < N) {
#pragma unroll
            for (int d = 0; d < 4; d++) {
                keys[r][d] *= scale;
            }
            store(dK + head + j * D, keys[r], x, D);
            store(dV + head + j * D, values[r], x, D);
        }
    }
}

extern "C" void solve(const float* Q, const float* K, const float* V, const float* upstream, float* dQ, float* dK,
                      float* dV, int H, int N, int D, int causal) {
    Statistic* statistics;
    cudaMalloc(&statistics, (size_t)H * N * sizeof(Statistic));
    cudaFuncSetAttribute(rows, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
    cudaFuncSetAttribute(columns, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
    const dim3 grid((N + STAYING - 1) / STAYING, H);
    rows<<<grid, THREADS, sizeof(Shared)>>>(Q, K, V, upstream, dQ, statistics, N, D, causal);
    columns<<<grid, THREADS, sizeof(Shared)>>>(Q, K, V, upstream, statistics, dK, dV, N, D, causal);
    cudaFree(statistics);
}
