// expect: accepted
//
// Half-precision matrix multiplication, the ladder's step 2: tensor cores by mma.sync, fed by ldmatrix.
//
// Added to step 1: the block's tiles lie in shared memory in chunks of 16 bytes whose order is permuted from row to
// row, so that neither the copies that fill them nor ldmatrix, which reads eight rows at once, meet in a bank;
// several slabs are on their way by cp.async while one is multiplied; and the next fragments are read before they are
// needed. Each warp makes 64 x 64 elements of C. Expected: two to three times step 1. Since Hopper, mma.sync alone
// does not reach the full rate of the tensor cores: that takes wgmma, step 3.

#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int TILE_M = 128;                             // rows of C that a block makes
constexpr int TILE_N = 256;                             // columns of C that a block makes
constexpr int DEPTH = 64;                               // k of a slab
constexpr int WARP_M = 64;                              // rows of C that a warp makes
constexpr int WARP_N = 64;                              // columns of C that a warp makes
constexpr int BAND = 8;                                 // rows of tiles made together: what they read stays in L2
constexpr int WARPS_N = TILE_N / WARP_N;
constexpr int THREADS = TILE_M / WARP_M * WARPS_N * 32;
constexpr int CHUNK = 8;                                // halves in 16 bytes
constexpr int CHUNKS_A = DEPTH / CHUNK;                 // in a row of a tile of A
constexpr int CHUNKS_B = TILE_N / CHUNK;
constexpr int STAGE = DEPTH * (TILE_M + TILE_N);        // halves
constexpr int STEPS = DEPTH / 16;                       // products of 16 k in a slab
constexpr int FRAGMENTS_M = WARP_M / 16;
constexpr int FRAGMENTS_N = WARP_N / 8;

static_assert(CHUNKS_A == 8 && THREADS % (8 * CHUNKS_A) == 0 && THREADS % (8 * CHUNKS_B) == 0 && WARP_N == 64,
              "the permutation below is that of rows of 128 bytes, and the same for all copies of a thread");

// Brings eight halves to shared memory: in the background where they can be moved at once, else one by one.
template <bool WIDE>
__device__ void copy(half* to, const half* from, int rows_left, int columns_left) {
    if (WIDE) {
        const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
                     "r"(rows_left > 0 && columns_left > 0 ? 16 : 0)
                     : "memory");
    } else {
        __align__(16) half eight[CHUNK];
#pragma unroll
        for (int i = 0; i < CHUNK; ++i) {
            eight[i] = rows_left > 0 && i < columns_left ? from[i] : __float2half(0.0f);
        }
        *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(eight);
    }
}

// What a thread copies of each slab: its places do not change, so they are computed once. Chunk c of row r of a tile
// lies where chunk c ^ r % 8 would.
template <bool WIDE>
struct Copies {
    static constexpr int STEP_A = THREADS / CHUNKS_A;   // rows from one of a thread's copies to the next
    static constexpr int STEP_B = THREADS / CHUNKS_B;

    const half* from_A;
    const half* from_B;
    int to_A, to_B, column_A, row_B, rows_left, columns_left;

    __device__ Copies(const half* A, const half* B, int M, int N, int K, int first_row, int first_column) {
        const int row_A = threadIdx.x / CHUNKS_A;
        column_A = threadIdx.x % CHUNKS_A * CHUNK;
        from_A = A + static_cast<long long>(first_row + row_A) * N + column_A;
        to_A = row_A * DEPTH + (column_A ^ row_A % 8 * CHUNK);
        rows_left = M - first_row - row_A;
        row_B = threadIdx.x / CHUNKS_B;
        const int column_B = threadIdx.x % CHUNKS_B * CHUNK;
        from_B = B + static_cast<long long>(row_B) * K + first_column + column_B;
        to_B = TILE_M * DEPTH + row_B * TILE_N + (column_B ^ row_B % 8 * CHUNK);
        columns_left = K - first_column - column_B;
    }

    // Begins to copy the next slab, of which `left` k are inside the matrices.
    __device__ void begin(half* stage, int left, int N, int K) {
#pragma unroll
        for (int i = 0; i < TILE_M / STEP_A; ++i) {
            copy<WIDE>(stage + to_A + i * STEP_A * DEPTH, from_A + static_cast<long long>(i * STEP_A) * N,
                       rows_left - i * STEP_A, left - column_A);
        }
#pragma unroll
        for (int i = 0; i < DEPTH / STEP_B; ++i) {
            copy<WIDE>(stage + to_B + i * STEP_B * TILE_N, from_B + static_cast<long long>(i * STEP_B) * K,
                       left - row_B - i * STEP_B, columns_left);
        }
        from_A += DEPTH;
        from_B += static_cast<long long>(DEPTH) * K;
    }
};

// Four 8 x 8 matrices of a tile of A; each lane gives the address of a row of one of them.
__device__ void read_A(unsigned (&a)[4], unsigned address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(address)
                 : "memory");
}

// The same of a tile of B, whose rows are k: transposed on the way, as mma.sync wants it.
__device__ void read_B(unsigned (&b)[4], unsigned address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
                 : "r"(address)
                 : "memory");
}

__device__ void multiply_add(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// WIDE where every row of the matrices begins at a multiple of 16 bytes. Of STAGES slabs in shared memory one is used
// while the others arrive.
template <bool WIDE, int STAGES>
__global__ void __launch_bounds__(THREADS) multiply(const half* A, const half* B, half* C, int M, int N, int K) {
    extern __shared__ __align__(128) half tiles[];

    // Tiles are made band by band, and down the columns of a band.
    const int tiles_m = (M + TILE_M - 1) / TILE_M;
    const int tiles_n = (K + TILE_N - 1) / TILE_N;
    const int band = blockIdx.x / (BAND * tiles_n);
    const int in_band = blockIdx.x % (BAND * tiles_n);
    const int rows_of_band = min(BAND, tiles_m - band * BAND);
    const int first_row = (band * BAND + in_band % rows_of_band) * TILE_M;
    const int first_column = in_band / rows_of_band * TILE_N;
    Copies<WIDE> copies(A, B, M, N, K, first_row, first_column);

    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const int warp_row = warp / WARPS_N * WARP_M;
    const int warp_column = warp % WARPS_N * WARP_N;
    const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(tiles));
    const unsigned row_A = shared + (warp_row + lane % 16) * DEPTH * sizeof(half);
    const unsigned row_B = shared + (TILE_M * DEPTH + lane % 16 * TILE_N + warp_column) * sizeof(half);
    const unsigned chunk = (lane / 16 ^ lane % 8) * 16;

    float sum[FRAGMENTS_M][FRAGMENTS_N][4] = {};
    unsigned a[2][FRAGMENTS_M][4];
    unsigned b[2][FRAGMENTS_N / 2][4];
    auto read_step = [&](int into, unsigned stage, int step) {
#pragma unroll
        for (int i = 0; i < FRAGMENTS_M; ++i) {
            read_A(a[into][i], row_A + stage + i * 16 * DEPTH * sizeof(half) + (chunk ^ step * 32));
        }
#pragma unroll
        for (int j = 0; j < FRAGMENTS_N / 2; ++j) {
            read_B(b[into][j], row_B + stage + step * 16 * TILE_N * sizeof(half) + (chunk ^ j * 32));
        }
    };
    auto wait = [] {
        // All but the latest STAGES - 2 slabs have arrived, those that other threads copied too.
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
    };

    // A group of copies is closed for every slab, also where there is none left, so that the count above holds.
#pragma unroll
    for (int slab = 0; slab < STAGES - 1; ++slab) {
        copies.begin(tiles + slab * STAGE, N - slab * DEPTH, N, K);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    wait();
    int now = 0;
    int ahead = STAGES - 1;
    read_step(0, 0, 0);
    for (int start = 0; start < N; start += DEPTH) {
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            if (step == STEPS - 1) {
                wait();
                now = now == STAGES - 1 ? 0 : now + 1;
            }
            read_step((step + 1) % 2, now * STAGE * sizeof(half), (step + 1) % STEPS);
            if (step == 0) {
                // Into the stage whose last fragments were read before the latest barrier.
                copies.begin(tiles + ahead * STAGE, N - start - (STAGES - 1) * DEPTH, N, K);
                asm volatile("cp.async.commit_group;" ::: "memory");
                ahead = ahead == STAGES - 1 ? 0 : ahead + 1;
            }
#pragma unroll
            for (int i = 0; i < FRAGMENTS_M; ++i) {
#pragma unroll
                for (int j = 0; j < FRAGMENTS_N; ++j) {
                    multiply_add(sum[i][j], a[step % 2][i], b[step % 2][j / 2][j % 2 * 2],
                                 b[step % 2][j / 2][j % 2 * 2 + 1]);
                }
            }
        }
    }

    // A lane holds two neighbours of C in each of two rows of a fragment.
#pragma unroll
    for (int i = 0; i < FRAGMENTS_M * 2; ++i) {
        const int row = first_row + warp_row + i * 8 + lane / 4;
        if (row >= M) {
            continue;
        }
#pragma unroll
        for (int j = 0; j < FRAGMENTS_N; ++j) {
            const int column = first_column + warp_column + j * 8 + lane % 4 * 2;
            const float left = sum[i / 2][j][i % 2 * 2];
            const float right = sum[i / 2][j][i % 2 * 2 + 1];
            half* to = C + static_cast<long long>(row) * K + column;
            if (WIDE && column < K) {
                *reinterpret_cast<half2*>(to) = __floats2half2_rn(left, right);
            } else if (!WIDE) {
                if (column < K) to[0] = __float2half(left);
                if (column + 1 < K) to[1] = __float2half(right);
            }
        }
    }
}

template <bool WIDE, int STAGES>
void launch(const half* A, const half* B, half* C, int M, int N, int K) {
    constexpr int BYTES = STAGES * STAGE * sizeof(half);
    cudaFuncSetAttribute(multiply<WIDE, STAGES>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    const int blocks = ((M + TILE_M - 1) / TILE_M) * ((K + TILE_N - 1) / TILE_N);
    multiply<WIDE, STAGES><<<blocks, THREADS, BYTES>>>(A, B, C, M, N, K);
}

template <int STAGES>
void launch(const half* A, const half* B, half* C, int M, int N, int K) {
    if (N % CHUNK == 0 && K % CHUNK == 0) {
        launch<true, STAGES>(A, B, C, M, N, K);
    } else {
        launch<false, STAGES>(A, B, C, M, N, K);
    }
}

extern "C" void solve(const half* A, const half* B, half* C, int M, int N, int K) {
    // Three slabs are 144 KB, which a block has on large GPUs alone.
    int shared = 0;
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    if (shared >= 3 * STAGE * static_cast<int>(sizeof(half))) {
        launch<3>(A, B, C, M, N, K);
    } else {
        launch<2>(A, B, C, M, N, K);
    }
}
