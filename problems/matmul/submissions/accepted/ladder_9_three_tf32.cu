// expect: accepted
//
// Matrix multiplication, the ladder's step 9: tensor cores, with three TF32 products for one of fp32.
//
// Added to step 8: the sums are made by mma.sync, which multiplies TF32 numbers, of 11 significant bits. A float is the
// sum of two of them, a big one and what is left. Three products of these, without that of the two small ones, are as
// accurate as one in fp32, and a tensor core makes three sooner than the other units make one. A lane splits what it
// has read from shared memory, since a fragment is used by many products. ldmatrix reads four fragments of A at once:
// to it a float is two halves that stay together. Expected: one and a half times step 8, and so of the library, which
// uses no tensor cores for fp32.

#include <cuda_runtime.h>

constexpr int BAND = 8;  // rows of tiles made together: what they read stays in L2

// A block makes HIGH x WIDE elements of C, each of its warps SIDE x SIDE. SLAB k are in a slab; COUNT slabs are in shared
// memory, one used while the others arrive; and RESIDENT blocks on a processor.
template <int HIGH, int WIDE, int SIDE, int SLAB, int COUNT, int RESIDENT>
struct Shape {
    static constexpr int TILE_M = HIGH, TILE_N = WIDE, WARP_M = SIDE, WARP_N = SIDE;
    static constexpr int DEPTH = SLAB, STAGES = COUNT, BLOCKS = RESIDENT;
    static constexpr int WARPS_N = TILE_N / WARP_N;
    static constexpr int THREADS = TILE_M / WARP_M * WARPS_N * 32;
    static constexpr int FRAGMENTS_M = WARP_M / 16;
    static constexpr int FRAGMENTS_N = WARP_N / 8;
    static constexpr int PITCH_A = DEPTH + 4;  // of a row of a tile: no bank conflicts
    static constexpr int PITCH_B = TILE_N + 8;
    static constexpr int TILE_A = TILE_M * PITCH_A;
    static constexpr int STAGE = TILE_A + DEPTH * PITCH_B;  // floats
};

struct Split {
    unsigned big;
    unsigned small;
};

// Rounds to the 11 significant bits of TF32; of the small part the tensor core takes no more than 11.
__device__ __forceinline__ Split split(unsigned bits) {
    const unsigned big = (bits + 0x1000u) & 0xffffe000u;
    return {big, __float_as_uint(__uint_as_float(bits) - __uint_as_float(big))};
}

__device__ __forceinline__ void multiply(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ unsigned shared_address(const float* at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// Copies FLOATS to shared memory while the thread goes on; writes zeros where nothing is there to be copied.
template <int FLOATS>
__device__ __forceinline__ void copy(float* to, const float* from, bool there) {
    if (FLOATS == 4) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
                     "r"(there ? 16 : 0)
                     : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(to)), "l"(from),
                     "r"(there ? 4 : 0)
                     : "memory");
    }
}

// Copies HEIGHT x WIDTH elements of a matrix of `rows` x `columns`, from (row, column) on, FLOATS at once.
template <int FLOATS, int HEIGHT, int WIDTH, int PITCH, int THREADS>
__device__ __forceinline__ void fetch(float* tile, const float* matrix, int rows, int columns, int row, int column) {
    constexpr int COUNT = HEIGHT * WIDTH / FLOATS / THREADS;
    static_assert(COUNT * FLOATS * THREADS == HEIGHT * WIDTH, "each thread has as many");
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        const int place = (i * THREADS + threadIdx.x) * FLOATS;
        const int y = place / WIDTH;
        const int x = place % WIDTH;
        const bool there = row + y < rows && column + x < columns;
        copy<FLOATS>(tile + y * PITCH + x, matrix + (there ? (row + y) * columns + column + x : 0), there);
    }
}

// FLOATS is 4 where rows of the matrices can be moved as float4, else 1.
template <class S, int FLOATS>
__global__ void __launch_bounds__(S::THREADS, S::BLOCKS)
    product(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
    extern __shared__ __align__(16) float slabs[];
    // Blocks that run at once make a part of C that is about as high as it is wide.
    const int tiles_n = (K + S::TILE_N - 1) / S::TILE_N;
    const int tiles_m = (M + S::TILE_M - 1) / S::TILE_M;
    const int band = blockIdx.x / (BAND * tiles_n) * BAND;
    const int high = min(BAND, tiles_m - band);
    const int in_band = blockIdx.x % (BAND * tiles_n);
    const int top = (band + in_band % high) * S::TILE_M;
    const int left = in_band / high * S::TILE_N;

    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int row = warp / S::WARPS_N * S::WARP_M;
    const int column = warp % S::WARPS_N * S::WARP_N;
    // ldmatrix: lanes 0 to 7 name the rows of the first 8 x 4 floats, 8 to 15 those below, 16 to 31 those beside.
    const int from_A = (row + lane % 16) * S::PITCH_A + lane / 16 * 4;
    const int from_B = S::TILE_A + lane % 4 * S::PITCH_B + column + lane / 4;

    auto begin = [&](int stage, int first) {
        float* slab = slabs + stage * S::STAGE;
        if (first < N) {
            fetch<FLOATS, S::TILE_M, S::DEPTH, S::PITCH_A, S::THREADS>(slab, A, M, N, top, first);
            fetch<FLOATS, S::DEPTH, S::TILE_N, S::PITCH_B, S::THREADS>(slab + S::TILE_A, B, N, K, first, left);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };

#pragma unroll
    for (int stage = 0; stage < S::STAGES - 1; ++stage) {
        begin(stage, stage * S::DEPTH);
    }
    float sum[S::FRAGMENTS_M][S::FRAGMENTS_N][4] = {};
    int now = 0;
    int ahead = S::STAGES - 1;
    for (int first = 0; first < N; first += S::DEPTH) {
        asm volatile("cp.async.wait_group %0;" ::"n"(S::STAGES - 2) : "memory");
        // Also: everybody is done with the slab that is filled next.
        __syncthreads();
        begin(ahead, first + (S::STAGES - 1) * S::DEPTH);
        ahead = ahead == S::STAGES - 1 ? 0 : ahead + 1;
        const float* slab = slabs + now * S::STAGE;
        now = now == S::STAGES - 1 ? 0 : now + 1;
#pragma unroll
        for (int k = 0; k < S::DEPTH; k += 8) {
            unsigned big_b[S::FRAGMENTS_N][2];
            unsigned small_b[S::FRAGMENTS_N][2];
#pragma unroll
            for (int j = 0; j < S::FRAGMENTS_N; ++j) {
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const Split b = split(__float_as_uint(slab[from_B + (k + half * 4) * S::PITCH_B + j * 8]));
                    big_b[j][half] = b.big;
                    small_b[j][half] = b.small;
                }
            }
#pragma unroll
            for (int i = 0; i < S::FRAGMENTS_M; ++i) {
                unsigned big_a[4];
                unsigned small_a[4];
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(big_a[0]), "=r"(big_a[1]), "=r"(big_a[2]), "=r"(big_a[3])
                             : "r"(shared_address(slab + from_A + i * 16 * S::PITCH_A + k))
                             : "memory");
#pragma unroll
                for (int part = 0; part < 4; ++part) {
                    const Split a = split(big_a[part]);
                    big_a[part] = a.big;
                    small_a[part] = a.small;
                }
                // The small products first. Sums of other tiles stand between two steps of the same sum.
#pragma unroll
                for (int j = 0; j < S::FRAGMENTS_N; ++j) {
                    multiply(sum[i][j], small_a, big_b[j]);
                }
#pragma unroll
                for (int j = 0; j < S::FRAGMENTS_N; ++j) {
                    multiply(sum[i][j], big_a, small_b[j]);
                }
#pragma unroll
                for (int j = 0; j < S::FRAGMENTS_N; ++j) {
                    multiply(sum[i][j], big_a, big_b[j]);
                }
            }
        }
    }

#pragma unroll
    for (int i = 0; i < S::FRAGMENTS_M; ++i) {
#pragma unroll
        for (int j = 0; j < S::FRAGMENTS_N; ++j) {
            const int x = left + column + j * 8 + lane % 4 * 2;
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int y = top + row + i * 16 + half * 8 + lane / 4;
                float* to = C + static_cast<long long>(y) * K + x;
                if (y < M && FLOATS == 4 && x < K) {
                    *reinterpret_cast<float2*>(to) = make_float2(sum[i][j][half * 2], sum[i][j][half * 2 + 1]);
                } else if (y < M && x < K) {
                    to[0] = sum[i][j][half * 2];
                    if (x + 1 < K) {
                        to[1] = sum[i][j][half * 2 + 1];
                    }
                }
            }
        }
    }
}

template <class S, int FLOATS>
static void launch(const float* A, const float* B, float* C, int M, int N, int K) {
    constexpr int BYTES = S::STAGES * S::STAGE * sizeof(float);
    cudaFuncSetAttribute(product<S, FLOATS>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    const int tiles = (M + S::TILE_M - 1) / S::TILE_M * ((K + S::TILE_N - 1) / S::TILE_N);
    product<S, FLOATS><<<tiles, S::THREADS, BYTES>>>(A, B, C, M, N, K);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    // Few large tiles would leave processors idle.
    const bool small = (M + 127) / 128 * ((K + 127) / 128) < 200;
    const bool by_fours = N % 4 == 0 && K % 4 == 0;
    if (small && by_fours) {
        launch<Shape<64, 64, 32, 32, 3, 4>, 4>(A, B, C, M, N, K);
    } else if (small) {
        launch<Shape<64, 64, 32, 16, 4, 4>, 1>(A, B, C, M, N, K);
    } else if (by_fours) {
        launch<Shape<128, 128, 64, 16, 4, 2>, 4>(A, B, C, M, N, K);
    } else {
        launch<Shape<128, 128, 64, 16, 4, 2>, 1>(A, B, C, M, N, K);
    }
}
