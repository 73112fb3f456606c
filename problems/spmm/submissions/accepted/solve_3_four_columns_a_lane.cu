// expect: accepted
//
// Sparse matrix times dense matrix, step 3: four columns a lane, eight rows of B on their way.
//
// Added to step 2: a lane reads four neighbouring columns of B by one load, where K is a multiple of 4, two where it is
// one of 2. As few lanes as that needs share a row, so that a warp takes two or more rows where K is small; they hand
// round entries that each loaded for all. Rows of B are asked for eight at a time, and the entries behind them before
// these are used: no load waits for another, and bytes on their way are what hides the time that a read takes. Where K
// is a little more than the lanes have, each lane has a second piece, so that the entries are walked through once.
//
// What is left is the traffic of B: a row of it comes from memory, or from the L2 cache if B fits, once for each entry.

#include <cuda_runtime.h>

#define BLOCK 256

template <int WIDTH>
struct Columns;
template <>
struct Columns<1> {
    typedef float type;
};
template <>
struct Columns<2> {
    typedef float2 type;
};
template <>
struct Columns<4> {
    typedef float4 type;
};

// LANES threads share a row of C; each has PIECES times WIDTH of its columns.
template <int WIDTH, int LANES, int PIECES>
__global__ void __launch_bounds__(BLOCK)
    multiply(const int* __restrict__ offsets, const int* __restrict__ columns, const float* __restrict__ values,
             const float* __restrict__ B, float* __restrict__ C, int M, int K) {
    typedef typename Columns<WIDTH>::type Vector;
    constexpr int AHEAD = 8 / PIECES < LANES ? 8 / PIECES : LANES;
    const int i = (blockIdx.x * BLOCK + threadIdx.x) / LANES;
    const int lane = threadIdx.x % LANES;
    const unsigned team = (LANES == 32 ? 0xffffffffu : (1u << LANES) - 1) << (threadIdx.x % 32 - lane);
    if (i >= M) {
        return;
    }
    const int begin = offsets[i];
    const int end = offsets[i + 1];
    for (int start = 0; start < K; start += PIECES * LANES * WIDTH) {
        const int k = start + lane * WIDTH;
        alignas(Vector) float sums[PIECES][WIDTH] = {};
        int column = begin + lane < end ? columns[begin + lane] : 0;
        float value = begin + lane < end ? values[begin + lane] : 0.0f;
        for (int first = begin; first < end; first += LANES) {
            const int own_column = column;
            const float own_value = value;
            const int next = first + LANES + lane;
            column = next < end ? columns[next] : 0;
            value = next < end ? values[next] : 0.0f;
            const int count = min(LANES, end - first);
            for (int e = 0; e < count; e += AHEAD) {
                Vector rows[AHEAD][PIECES];
#pragma unroll
                for (int n = 0; n < AHEAD; n++) {
                    const float* row = B + (size_t)__shfl_sync(team, own_column, e + n, LANES) * K + k;
#pragma unroll
                    for (int p = 0; p < PIECES; p++) {
                        // Entries behind the last one: nothing is read, and the zero counts for nothing.
                        const bool there = e + n < count && k + p * LANES * WIDTH < K;
                        rows[n][p] = there ? *reinterpret_cast<const Vector*>(row + p * LANES * WIDTH) : Vector{};
                    }
                }
#pragma unroll
                for (int n = 0; n < AHEAD; n++) {
                    const float factor = __shfl_sync(team, own_value, e + n, LANES);
#pragma unroll
                    for (int p = 0; p < PIECES; p++) {
#pragma unroll
                        for (int c = 0; c < WIDTH; c++) {
                            sums[p][c] += factor * reinterpret_cast<const float*>(&rows[n][p])[c];
                        }
                    }
                }
            }
        }
#pragma unroll
        for (int p = 0; p < PIECES; p++) {
            if (k + p * LANES * WIDTH < K) {
                *reinterpret_cast<Vector*>(C + (size_t)i * K + k + p * LANES * WIDTH) =
                    *reinterpret_cast<const Vector*>(sums[p]);
            }
        }
    }
}

template <int WIDTH, int LANES, int PIECES>
void launch(const int* offsets, const int* columns, const float* values, const float* B, float* C, int M, int K) {
    const int blocks = (int)(((size_t)M * LANES + BLOCK - 1) / BLOCK);
    multiply<WIDTH, LANES, PIECES><<<blocks, BLOCK>>>(offsets, columns, values, B, C, M, K);
}

template <int WIDTH>
void launch(const int* offsets, const int* columns, const float* values, const float* B, float* C, int M, int K) {
    if (K <= 8 * WIDTH) {
        launch<WIDTH, 8, 1>(offsets, columns, values, B, C, M, K);
    } else if (K <= 16 * WIDTH) {
        launch<WIDTH, 16, 1>(offsets, columns, values, B, C, M, K);
    } else if (K <= 32 * WIDTH) {
        launch<WIDTH, 32, 1>(offsets, columns, values, B, C, M, K);
    } else {
        launch<WIDTH, 32, 2>(offsets, columns, values, B, C, M, K);
    }
}

extern "C" void solve(const int* offsets, const int* columns, const float* values, const float* B, float* C, int M,
                      int N, int K, int DEGREE) {
    if (K % 4 == 0) {
        launch<4>(offsets, columns, values, B, C, M, K);
    } else if (K % 2 == 0) {
        launch<2>(offsets, columns, values, B, C, M, K);
    } else {
        launch<1>(offsets, columns, values, B, C, M, K);
    }
}
