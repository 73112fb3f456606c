// expect: accepted
//
// Attention, step 5: both products on tensor cores, each float as the sum of two TF32 numbers.
//
// Added to step 4: a float is a big TF32 number and a small one. Three of the four products of a pair, big by big, big
// by small and small by big, are as exact as fp32 and take less time on tensor cores than one by ordinary arithmetic. A
// warp makes 16 rows: its part of Q, the scores and the output stay in registers, and a score is where the second
// product wants it, since the order of keys in a sum is free. The tiles of all rows are one long list, of which each
// block takes an equal share; rows that are shared by blocks are joined by a second kernel. Expect three times the speed
// of step 4, and more where rows are few.

#include <cuda_runtime.h>

constexpr int ROWS = 64;  // of Q that a block works on at a time
constexpr int KEYS = 64;  // in a tile of K or V
constexpr int THREADS = ROWS / 16 * 32;
constexpr float LOG2_E = 1.44269504f;

// Floats from one row of a tile to the next: such that the lanes' float4s lie in different banks.
template <int DEPTH>
constexpr int PITCH_K = DEPTH + 16;
template <int DEPTH>
constexpr int PITCH_V = DEPTH + 4;

// All tiles of all blocks of rows as one list, of which block c of `blocks` takes those from begin(c) to begin(c + 1).
struct Tiles {
    int of_row;  // tiles of a block of rows without the mask; with it the first one has one, the next one two, ...
    int causal;
    int blocks;

    __host__ __device__ int start(int r) const {
        return causal ? r * (r + 1) / 2 : r * of_row;
    }

    __host__ __device__ int count(int r) const {
        return causal ? r + 1 : of_row;
    }

    __host__ __device__ int all() const {
        return start(of_row);
    }

    __device__ int begin(int c) const {
        return static_cast<int>(static_cast<long long>(all()) * c / blocks);
    }

    // The block that takes a tile.
    __device__ int owner(int tile) const {
        return static_cast<int>(((tile + 1ll) * blocks - 1) / all());
    }

    __device__ int row(int tile) const {
        if (!causal) {
            return tile / of_row;
        }
        int r = static_cast<int>((sqrtf(8.0f * tile + 1.0f) - 1.0f) / 2.0f);
        while (start(r) > tile) {
            r--;
        }
        while (start(r + 1) <= tile) {
            r++;
        }
        return r;
    }
};

// Copies to shared memory while the thread goes on; writes zeros where nothing is there to be copied.
template <int BYTES>
__device__ __forceinline__ void copy(float* to, const float* from, bool there) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(from), "n"(BYTES),
                 "r"(there ? BYTES : 0)
                 : "memory");
}

// Begins to copy KEYS rows of a matrix of N rows and D columns, from row `first` on. WIDTH is 4 where rows can be moved
// as float4, else 1.
template <int DEPTH, int WIDTH, int PITCH>
__device__ __forceinline__ void begin(float* tile, const float* matrix, int first, int N, int D) {
    constexpr int PIECES = DEPTH / WIDTH;
    constexpr int STEP = THREADS / PIECES > 0 ? THREADS / PIECES : 1;
    const int column = threadIdx.x % PIECES * WIDTH;
    const int row = threadIdx.x / PIECES;
    const float* from = matrix + static_cast<size_t>(first + row) * D + column;
#pragma unroll 4
    for (int i = 0; i < KEYS; i += STEP) {
        const bool there = first + row + i < N && column < D;
        copy<WIDTH * 4>(tile + (row + i) * PITCH + column, there ? from + static_cast<size_t>(i) * D : matrix, there);
    }
}

__device__ __forceinline__ void close_group() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits for all groups of copies but the latest one, those of other threads too.
__device__ __forceinline__ void wait() {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
}

struct Split {
    unsigned big;
    unsigned small;
};

// The tensor cores ignore the 13 last bits. Adding half of the last one that is left rounds; the rest is exact.
__device__ __forceinline__ Split split(float value) {
    const unsigned big = (__float_as_uint(value) + 0x1000u) & 0xffffe000u;
    return {big, __float_as_uint(value - __uint_as_float(big))};
}

__device__ __forceinline__ void multiply(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Adds the product of 16 x 8 and 8 x 32 elements, four products after each other so that none waits for its sum.
__device__ __forceinline__ void multiply(float (*sum)[4], const Split (&a)[4], const Split (&b)[4][2]) {
    const unsigned big[4] = {a[0].big, a[1].big, a[2].big, a[3].big};
    const unsigned small[4] = {a[0].small, a[1].small, a[2].small, a[3].small};
#pragma unroll
    for (int j = 0; j < 4; j++) {
        multiply(sum[j], small, b[j][0].big, b[j][1].big);
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        multiply(sum[j], big, b[j][0].small, b[j][1].small);
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        multiply(sum[j], big, b[j][0].big, b[j][1].big);
    }
}

__device__ __forceinline__ float exp_2(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

__device__ __forceinline__ float largest_of_four_lanes(float x) {
    x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
    return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}

__device__ __forceinline__ float sum_of_four_lanes(float x) {
    x += __shfl_xor_sync(~0u, x, 1);
    return x + __shfl_xor_sync(~0u, x, 2);
}

template <int WIDTH>
__device__ __forceinline__ void load(float (&x)[4], const float* row, int column, int D, bool there) {
    if constexpr (WIDTH == 4) {
        const float4 four = there && column < D ? *reinterpret_cast<const float4*>(row + column) : float4{};
        x[0] = four.x;
        x[1] = four.y;
        x[2] = four.z;
        x[3] = four.w;
    } else {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            x[k] = there && column + k < D ? row[column + k] : 0.0f;
        }
    }
}

template <int WIDTH>
__device__ __forceinline__ void store(float* row, int column, int D, float4 x) {
    if constexpr (WIDTH == 4) {
        if (column < D) {
            *reinterpret_cast<float4*>(row + column) = x;
        }
    } else {
        const float four[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (column + k < D) {
                row[column + k] = four[k];
            }
        }
    }
}

// Rows that a block shares with others go to `parts`, not divided, with each row's largest score and sum in `sums`. The
// place of a part is the number of its block and of its rows, added: no other part has the same.
template <int DEPTH, int WIDTH>
__global__ void __launch_bounds__(THREADS, DEPTH == 64 ? 3 : 2)
    attend(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V,
           float* __restrict__ output, float* __restrict__ parts, float2* __restrict__ sums, int N, int D,
           Tiles tiles) {
    extern __shared__ __align__(16) float memory[];
    float* keys = memory;
    float* values = memory + KEYS * PITCH_K<DEPTH>;
    const int lane = threadIdx.x % 32;
    const int group = lane / 4;
    const int quarter = lane % 4;
    const int in_block = threadIdx.x / 32 * 16 + group;
    const float factor = LOG2_E / sqrtf(static_cast<float>(D));
    const int end = tiles.begin(blockIdx.x + 1);

    for (int next = tiles.begin(blockIdx.x); next < end;) {
        const int r = tiles.row(next);
        const int first = next - tiles.start(r);
        const int last = min(first + end - next, tiles.count(r));
        next += last - first;
        begin<DEPTH, WIDTH, PITCH_K<DEPTH>>(keys, K, first * KEYS, N, D);
        close_group();
        begin<DEPTH, WIDTH, PITCH_V<DEPTH>>(values, V, first * KEYS, N, D);
        close_group();

        // Two rows of a lane, eight apart, and of 16 columns the four from 4 * quarter on.
        float query[DEPTH / 16][2][4];
#pragma unroll
        for (int k = 0; k < DEPTH / 16; k++) {
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const int row = r * ROWS + in_block + i * 8;
                load<WIDTH>(query[k][i], Q + static_cast<size_t>(row) * D, k * 16 + quarter * 4, D, row < N);
#pragma unroll
                for (int c = 0; c < 4; c++) {
                    query[k][i][c] *= factor;
                }
            }
        }
        float result[DEPTH / 8][4] = {};
        float largest[2] = {-INFINITY, -INFINITY};
        float sum[2] = {};

        for (int tile = first; tile < last; tile++) {
            wait();
            float score[KEYS / 8][4] = {};
#pragma unroll
            for (int k = 0; k < DEPTH / 16; k++) {
#pragma unroll
                for (int half = 0; half < KEYS / 32; half++) {
                    float4 key[4];
#pragma unroll
                    for (int j = 0; j < 4; j++) {
                        key[j] = *reinterpret_cast<const float4*>(
                            keys + (half * 32 + j * 8 + group) * PITCH_K<DEPTH> + k * 16 + quarter * 4);
                    }
#pragma unroll
                    for (int c = 0; c < 4; c += 2) {
                        const Split a[4] = {split(query[k][0][c]), split(query[k][1][c]), split(query[k][0][c + 1]),
                                            split(query[k][1][c + 1])};
                        Split b[4][2];
#pragma unroll
                        for (int j = 0; j < 4; j++) {
                            b[j][0] = split(c == 0 ? key[j].x : key[j].z);
                            b[j][1] = split(c == 0 ? key[j].y : key[j].w);
                        }
                        multiply(score + half * 4, a, b);
                    }
                }
            }
            __syncthreads();
            if (tile + 1 < last) {
                begin<DEPTH, WIDTH, PITCH_K<DEPTH>>(keys, K, (tile + 1) * KEYS, N, D);
            }
            close_group();

            if ((tiles.causal && tile == r) || (tile + 1) * KEYS > N) {
#pragma unroll
                for (int j = 0; j < KEYS / 8; j++) {
#pragma unroll
                    for (int c = 0; c < 4; c++) {
                        const int key = tile * KEYS + j * 8 + quarter * 2 + c % 2;
                        if (key >= N || (tiles.causal && key > r * ROWS + in_block + c / 2 * 8)) {
                            score[j][c] = -INFINITY;
                        }
                    }
                }
            }
#pragma unroll
            for (int i = 0; i < 2; i++) {
                float larger = largest[i];
#pragma unroll
                for (int j = 0; j < KEYS / 8; j++) {
                    larger = fmaxf(larger, fmaxf(score[j][i * 2], score[j][i * 2 + 1]));
                }
                larger = largest_of_four_lanes(larger);
                const float correction = exp_2(largest[i] - larger);
                largest[i] = larger;
                sum[i] *= correction;
#pragma unroll
                for (int j = 0; j < DEPTH / 8; j++) {
                    result[j][i * 2] *= correction;
                    result[j][i * 2 + 1] *= correction;
                }
#pragma unroll
                for (int j = 0; j < KEYS / 8; j++) {
                    score[j][i * 2] = exp_2(score[j][i * 2] - larger);
                    score[j][i * 2 + 1] = exp_2(score[j][i * 2 + 1] - larger);
                    sum[i] += score[j][i * 2] + score[j][i * 2 + 1];
                }
            }

            wait();
#pragma unroll
            for (int k = 0; k < KEYS / 8; k++) {
                // A lane holds the scores of keys 2 * quarter and the next: they stand for terms quarter and quarter + 4.
                const Split a[4] = {split(score[k][0]), split(score[k][2]), split(score[k][1]), split(score[k][3])};
                const float* row = values + (k * 8 + quarter * 2) * PITCH_V<DEPTH> + group * 4;
#pragma unroll
                for (int j = 0; j < DEPTH / 32; j++) {
                    const float4 one = *reinterpret_cast<const float4*>(row + j * 32);
                    const float4 two = *reinterpret_cast<const float4*>(row + PITCH_V<DEPTH> + j * 32);
                    const Split b[4][2] = {{split(one.x), split(two.x)},
                                           {split(one.y), split(two.y)},
                                           {split(one.z), split(two.z)},
                                           {split(one.w), split(two.w)}};
                    multiply(result + j * 4, a, b);
                }
            }
            __syncthreads();
            if (tile + 1 < last) {
                begin<DEPTH, WIDTH, PITCH_V<DEPTH>>(values, V, (tile + 1) * KEYS, N, D);
            }
            close_group();
        }

        const bool alone = first == 0 && last == tiles.count(r);
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int row = r * ROWS + in_block + i * 8;
            const float total = sum_of_four_lanes(sum[i]);
            const size_t place = static_cast<size_t>(blockIdx.x + r) * ROWS + in_block + i * 8;
            if (!alone && quarter == 0) {
                sums[place] = make_float2(largest[i], total);
            }
            const float divisor = alone ? 1.0f / total : 1.0f;
#pragma unroll
            for (int j = 0; j < DEPTH / 32; j++) {
#pragma unroll
                for (int c = 0; c < 2; c++) {
                    const int at = i * 2 + c;
                    const int column = j * 32 + quarter * 8 + c * 4;
                    const float4 four = make_float4(result[j * 4][at] * divisor, result[j * 4 + 1][at] * divisor,
                                                    result[j * 4 + 2][at] * divisor, result[j * 4 + 3][at] * divisor);
                    if (!alone) {
                        *reinterpret_cast<float4*>(parts + place * DEPTH + column) = four;
                    } else if (row < N) {
                        store<WIDTH>(output + static_cast<size_t>(row) * D, column, D, four);
                    }
                }
            }
        }
    }
}

// A thread makes four columns of a row that several blocks have worked on.
template <int DEPTH, int WIDTH>
__global__ void __launch_bounds__(THREADS)
    join(const float* __restrict__ parts, const float2* __restrict__ sums, float* __restrict__ output, int N, int D,
         Tiles tiles) {
    const int row = (blockIdx.x * THREADS + threadIdx.x) / (DEPTH / 4);
    const int column = threadIdx.x % (DEPTH / 4) * 4;
    const int r = row / ROWS;
    if (row >= N) {
        return;
    }
    const int first = tiles.owner(tiles.start(r));
    const int last = tiles.owner(tiles.start(r + 1) - 1);
    if (first == last) {
        return;
    }
    float largest = -INFINITY;
    for (int c = first; c <= last; c++) {
        largest = fmaxf(largest, sums[static_cast<size_t>(c + r) * ROWS + row % ROWS].x);
    }
    float total = 0.0f;
    float4 four = {};
    for (int c = first; c <= last; c++) {
        const size_t place = static_cast<size_t>(c + r) * ROWS + row % ROWS;
        const float4 part = *reinterpret_cast<const float4*>(parts + place * DEPTH + column);
        const float weight = exp_2(sums[place].x - largest);
        total += weight * sums[place].y;
        four.x += weight * part.x;
        four.y += weight * part.y;
        four.z += weight * part.z;
        four.w += weight * part.w;
    }
    store<WIDTH>(output + static_cast<size_t>(row) * D, column, D,
                 make_float4(four.x / total, four.y / total, four.z / total, four.w / total));
}

template <int DEPTH, int WIDTH>
void launch(const float* Q, const float* K, const float* V, float* output, int N, int D, int causal) {
    constexpr int BYTES = KEYS * (PITCH_K<DEPTH> + PITCH_V<DEPTH>) * sizeof(float);
    cudaFuncSetAttribute(attend<DEPTH, WIDTH>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    int processors = 0;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    const int of_row = (N + KEYS - 1) / KEYS;
    Tiles tiles{of_row, causal, 1};
    tiles.blocks = min(tiles.all(), processors * (DEPTH == 64 ? 3 : 2));
    const size_t places = static_cast<size_t>(tiles.blocks + of_row) * ROWS;
    float* parts;
    float2* sums;
    cudaMalloc(&parts, places * DEPTH * sizeof(float));
    cudaMalloc(&sums, places * sizeof(float2));
    attend<DEPTH, WIDTH><<<tiles.blocks, THREADS, BYTES>>>(Q, K, V, output, parts, sums, N, D, tiles);
    constexpr int ROWS_OF_BLOCK = THREADS / (DEPTH / 4);
    join<DEPTH, WIDTH><<<(N + ROWS_OF_BLOCK - 1) / ROWS_OF_BLOCK, THREADS>>>(parts, sums, output, N, D, tiles);
    cudaFree(parts);
    cudaFree(sums);
}

extern "C" void solve(const float* Q, const float* K, const float* V, float* output, int N, int D, int causal) {
    if (D <= 64) {
        D % 4 == 0 ? launch<64, 4>(Q, K, V, output, N, D, causal) : launch<64, 1>(Q, K, V, output, N, D, causal);
    } else {
        D % 4 == 0 ? launch<128, 4>(Q, K, V, output, N, D, causal) : launch<128, 1>(Q, K, V, output, N, D, causal);
    }
}
