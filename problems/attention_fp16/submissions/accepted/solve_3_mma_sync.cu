// expect: accepted
//
// Attention in half precision, step 3: both products on tensor cores by mma.sync, tiles on their way by cp.async.
//
// Added to step 2: a block makes 128 rows of a head, each of its four warps 32. Scores and outputs stay in the registers
// of the accumulators; a pair of probabilities, rounded to halves, is where the second product wants it, so no score is
// ever in shared memory. Keys are copied while values are multiplied and values while keys are, 16 bytes at a time;
// their chunks lie permuted, so that ldmatrix meets no bank twice. Blocks with most to do begin first, and the output is
// only corrected where a largest score has changed. Expect twenty times the speed of step 2.

#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int WARPS = 4;
constexpr int PARTS = 2;                 // of 16 rows, of a warp
constexpr int ROWS = WARPS * PARTS * 16;  // of Q that a block makes
constexpr int KEYS = 64;                 // in a tile of K or V
constexpr int THREADS = WARPS * 32;
constexpr int CHUNK = 8;                 // halves that are copied at once
constexpr float LOG2_E = 1.44269504f;

// Where a chunk of a row lies in a tile, in halves: eight rows have the same one in eight different places.
template <int DEPTH>
__device__ __forceinline__ int place(int row, int chunk) {
    return row * DEPTH + (chunk ^ row % 8) * CHUNK;
}

// Begins to copy rows `first` to `first + COUNT - 1` of a matrix of N rows and D columns; zeros where there are none.
// WIDE where each row begins at a multiple of 16 bytes.
template <int DEPTH, int COUNT, bool WIDE>
__device__ __forceinline__ void begin(half* tile, const half* matrix, int first, int N, int D) {
    constexpr int CHUNKS = DEPTH / CHUNK;
    constexpr int STEP = THREADS / CHUNKS;
    const int chunk = threadIdx.x % CHUNKS;
    const int row = threadIdx.x / CHUNKS;
#pragma unroll 8
    for (int i = 0; i < COUNT; i += STEP) {
        half* to = tile + place<DEPTH>(row + i, chunk);
        const half* from = matrix + static_cast<size_t>(first + row + i) * D + chunk * CHUNK;
        if constexpr (WIDE) {
            const bool there = first + row + i < N && chunk * CHUNK < D;
            const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(there ? from : matrix),
                         "r"(there ? 16 : 0)
                         : "memory");
        } else {
#pragma unroll
            for (int c = 0; c < CHUNK; c++) {
                to[c] = first + row + i < N && chunk * CHUNK + c < D ? from[c] : __float2half(0.0f);
            }
        }
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

// Four 8 x 8 matrices; each lane gives the address of a row of one of them.
__device__ __forceinline__ void read(unsigned (&x)[4], const half* from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(from)))
                 : "memory");
}

__device__ __forceinline__ void read_transposed(unsigned (&x)[4], const half* from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(from)))
                 : "memory");
}

__device__ __forceinline__ void multiply(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ float exp_2(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

__device__ __forceinline__ unsigned pack(float low, float high) {
    const half2 both = __floats2half2_rn(low, high);
    return *reinterpret_cast<const unsigned*>(&both);
}

template <int DEPTH, bool WIDE>
__global__ void __launch_bounds__(THREADS, 2)
    attend(const half* __restrict__ Q, const half* __restrict__ K, const half* __restrict__ V,
           half* __restrict__ output, int N, int D) {
    extern __shared__ __align__(128) half memory[];
    half* queries = memory;
    half* keys = queries + ROWS * DEPTH;
    half* values = keys + KEYS * DEPTH;
    const int lane = threadIdx.x % 32;
    const int first_of_block = (gridDim.y - 1 - blockIdx.y) * ROWS;
    const int first_of_warp = threadIdx.x / 32 * PARTS * 16;
    const size_t head = static_cast<size_t>(blockIdx.x) * N * D;
    const float factor = LOG2_E / sqrtf(static_cast<float>(D));
    Q += head;
    K += head;
    V += head;

    begin<DEPTH, ROWS, WIDE>(queries, Q, first_of_block, N, D);
    begin<DEPTH, KEYS, WIDE>(keys, K, 0, N, D);
    close_group();
    begin<DEPTH, KEYS, WIDE>(values, V, 0, N, D);
    close_group();

    float result[PARTS][DEPTH / 8][4] = {};
    float largest[PARTS][2];
    float sum[PARTS][2] = {};
#pragma unroll
    for (int i = 0; i < PARTS * 2; i++) {
        largest[i / 2][i % 2] = -INFINITY;
    }

    const int tiles = (min(first_of_block + ROWS, N) + KEYS - 1) / KEYS;
    for (int tile = 0; tile < tiles; tile++) {
        // Of the last tiles some warps see nothing, and the last block may have more warps than there are rows left.
        const bool seen = tile * KEYS < first_of_block + first_of_warp + PARTS * 16 && first_of_block + first_of_warp < N;
        float score[PARTS][KEYS / 8][4] = {};
        wait();
        if (seen) {
#pragma unroll
            for (int k = 0; k < DEPTH / 16; k++) {
                unsigned a[PARTS][4];
#pragma unroll
                for (int i = 0; i < PARTS; i++) {
                    read(a[i], queries + place<DEPTH>(first_of_warp + i * 16 + lane % 16, k * 2 + lane / 16));
                }
#pragma unroll
                for (int j = 0; j < KEYS / 16; j++) {
                    unsigned b[4];
                    read(b, keys + place<DEPTH>(j * 16 + lane / 16 * 8 + lane % 8, k * 2 + lane / 8 % 2));
#pragma unroll
                    for (int i = 0; i < PARTS; i++) {
                        multiply(score[i][j * 2], a[i], b[0], b[1]);
                        multiply(score[i][j * 2 + 1], a[i], b[2], b[3]);
                    }
                }
            }
        }
        __syncthreads();
        if (tile + 1 < tiles) {
            begin<DEPTH, KEYS, WIDE>(keys, K, (tile + 1) * KEYS, N, D);
        }
        close_group();

        if (seen) {
            if ((tile + 1) * KEYS > first_of_block + first_of_warp) {
#pragma unroll
                for (int i = 0; i < PARTS; i++) {
#pragma unroll
                    for (int j = 0; j < KEYS / 8; j++) {
#pragma unroll
                        for (int c = 0; c < 4; c++) {
                            const int key = tile * KEYS + j * 8 + lane % 4 * 2 + c % 2;
                            const int row = first_of_block + first_of_warp + i * 16 + c / 2 * 8 + lane / 4;
                            score[i][j][c] = key > row ? -INFINITY : score[i][j][c];
                        }
                    }
                }
            }
            bool changed = false;
            float correction[PARTS][2];
#pragma unroll
            for (int i = 0; i < PARTS; i++) {
#pragma unroll
                for (int half_of = 0; half_of < 2; half_of++) {
                    float larger = largest[i][half_of];
#pragma unroll
                    for (int j = 0; j < KEYS / 8; j++) {
                        larger = fmaxf(larger, fmaxf(score[i][j][half_of * 2], score[i][j][half_of * 2 + 1]));
                    }
                    larger = fmaxf(larger, __shfl_xor_sync(~0u, larger, 1));
                    larger = fmaxf(larger, __shfl_xor_sync(~0u, larger, 2));
                    correction[i][half_of] = exp_2((largest[i][half_of] - larger) * factor);
                    changed |= larger != largest[i][half_of];
                    largest[i][half_of] = larger;
                    sum[i][half_of] *= correction[i][half_of];
#pragma unroll
                    for (int j = 0; j < KEYS / 8; j++) {
#pragma unroll
                        for (int c = half_of * 2; c < half_of * 2 + 2; c++) {
                            score[i][j][c] = exp_2(score[i][j][c] * factor - larger * factor);
                            sum[i][half_of] += score[i][j][c];
                        }
                    }
                }
            }
            if (__any_sync(~0u, changed)) {
#pragma unroll
                for (int i = 0; i < PARTS; i++) {
#pragma unroll
                    for (int j = 0; j < DEPTH / 8; j++) {
#pragma unroll
                        for (int c = 0; c < 4; c++) {
                            result[i][j][c] *= correction[i][c / 2];
                        }
                    }
                }
            }
        }

        wait();
        if (seen) {
#pragma unroll
            for (int k = 0; k < KEYS / 16; k++) {
                unsigned a[PARTS][4];
#pragma unroll
                for (int i = 0; i < PARTS; i++) {
#pragma unroll
                    for (int c = 0; c < 4; c++) {
                        const float(&from)[4] = score[i][k * 2 + c / 2];
                        a[i][c] = pack(from[c % 2 * 2], from[c % 2 * 2 + 1]);
                    }
                }
#pragma unroll
                for (int j = 0; j < DEPTH / 16; j++) {
                    unsigned b[4];
                    read_transposed(b, values + place<DEPTH>(k * 16 + lane % 16, j * 2 + lane / 16));
#pragma unroll
                    for (int i = 0; i < PARTS; i++) {
                        multiply(result[i][j * 2], a[i], b[0], b[1]);
                        multiply(result[i][j * 2 + 1], a[i], b[2], b[3]);
                    }
                }
            }
        }
        __syncthreads();
        if (tile + 1 < tiles) {
            begin<DEPTH, KEYS, WIDE>(values, V, (tile + 1) * KEYS, N, D);
        }
        close_group();
    }

#pragma unroll
    for (int i = 0; i < PARTS * 2; i++) {
        float total = sum[i / 2][i % 2];
        total += __shfl_xor_sync(~0u, total, 1);
        total += __shfl_xor_sync(~0u, total, 2);
        const int row = first_of_block + first_of_warp + i * 8 + lane / 4;
        if (row >= N) {
            continue;
        }
#pragma unroll
        for (int j = 0; j < DEPTH / 8; j++) {
            const int column = j * 8 + lane % 4 * 2;
            const float left = result[i / 2][j][i % 2 * 2] / total;
            const float right = result[i / 2][j][i % 2 * 2 + 1] / total;
            half* to = output + head + static_cast<size_t>(row) * D + column;
            if (WIDE && column < D) {
                *reinterpret_cast<half2*>(to) = __floats2half2_rn(left, right);
            } else if (!WIDE) {
                if (column < D) to[0] = __float2half(left);
                if (column + 1 < D) to[1] = __float2half(right);
            }
        }
    }
}

template <int DEPTH, bool WIDE>
void launch(const half* Q, const half* K, const half* V, half* output, int H, int N, int D) {
    constexpr int BYTES = (ROWS + 2 * KEYS) * DEPTH * sizeof(half);
    cudaFuncSetAttribute(attend<DEPTH, WIDE>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    // All heads' last rows come first: they see most.
    attend<DEPTH, WIDE><<<dim3(H, (N + ROWS - 1) / ROWS), THREADS, BYTES>>>(Q, K, V, output, N, D);
}

extern "C" void solve(const half* Q, const half* K, const half* V, half* output, int H, int N, int D) {
    if (D % CHUNK == 0) {
        D <= 64 ? launch<64, true>(Q, K, V, output, H, N, D) : launch<128, true>(Q, K, V, output, H, N, D);
    } else {
        D <= 64 ? launch<64, false>(Q, K, V, output, H, N, D) : launch<128, false>(Q, K, V, output, H, N, D);
    }
}
