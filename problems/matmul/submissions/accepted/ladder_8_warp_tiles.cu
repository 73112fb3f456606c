// expect: accepted
//
// Matrix multiplication, the ladder's step 8: a tile of C for each warp, and larger tiles for blocks and threads.
//
// Added to step 7: a block makes 128 x 256 elements of C, each of its eight warps 64 x 64 that lie together, each
// thread 16 x 8. A warp then reads 128 floats from shared memory for 4,096 multiplications, and most of them are
// broadcasts; with the threads of a warp in two rows of a block's tile, as before, it read many more. The floats for
// the next k are read while those for this one are multiplied, over the end of a slab too, so that no multiplication
// waits. Expected: another 1.2 times, which is about what the library reaches.

#include <cuda_runtime.h>

constexpr int TILE_M = 128;                             // rows of C that a block makes
constexpr int TILE_N = 256;                             // columns of C that a block makes
constexpr int DEPTH = 16;                               // k of a slab
constexpr int STAGES = 4;                               // slabs in shared memory: one is used while the others arrive
constexpr int WARP_M = 64;                              // rows of C that a warp makes
constexpr int WARP_N = 64;                              // columns of C that a warp makes
constexpr int LANES_N = 8;                              // a warp is 4 x 8 lanes
constexpr int FOUR = 4;                                 // floats in a float4
constexpr int STRIDE_M = 32 / LANES_N * FOUR;           // from a float4 of a thread's rows to its next one
constexpr int STRIDE_N = LANES_N * FOUR;
constexpr int ROWS = WARP_M * LANES_N / 32;             // of C that a thread makes
constexpr int COLUMNS = WARP_N / LANES_N;
constexpr int WARPS_N = TILE_N / WARP_N;
constexpr int THREADS = TILE_M / WARP_M * WARPS_N * 32;
constexpr int PITCH = TILE_M + FOUR;                    // of a row of the transposed tile of A: no bank conflicts
constexpr int STAGE = DEPTH * (PITCH + TILE_N);         // floats

// Copies BYTES to shared memory while the thread goes on; writes zeros where nothing is there to be copied.
template <int BYTES>
__device__ void copy(float* to, const float* from, bool there) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(from), "n"(BYTES),
                 "r"(there ? BYTES : 0)
                 : "memory");
}

// What a thread copies of each slab: its places do not change, so they are computed once.
template <int WIDTH>
struct Copies {
    static constexpr int OCTETS = DEPTH / 8;
    static constexpr int STEP_A = THREADS / DEPTH;      // rows from one of a thread's copies of A to the next
    static constexpr int COUNT_A = TILE_M / STEP_A;
    static constexpr int STEP_B = THREADS * WIDTH / TILE_N;
    static constexpr int COUNT_B = DEPTH / STEP_B;

    const float* from_A;
    const float* from_B;
    int to_A, to_B, k_A, k_B, rows_left;
    bool inside;

    __device__ Copies(const float* A, const float* B, int M, int N, int K, int first_row, int first_column) {
        // Eight lanes read 32 bytes of a row of A; four rows make a warp, which writes to 32 banks.
        k_A = threadIdx.x % 8 + threadIdx.x / 32 % OCTETS * 8;
        const int row = threadIdx.x % 32 / 8 + threadIdx.x / 32 / OCTETS * 4;
        from_A = A + static_cast<long long>(first_row + row) * N + k_A;
        to_A = k_A * PITCH + row;
        rows_left = M - first_row - row;
        const int column = threadIdx.x * WIDTH % TILE_N;
        k_B = threadIdx.x * WIDTH / TILE_N;
        from_B = B + static_cast<long long>(k_B) * K + first_column + column;
        to_B = DEPTH * PITCH + k_B * TILE_N + column;
        inside = first_column + column < K;
    }

    // Begins to copy the next slab, of which `left` k are inside the matrices.
    __device__ void begin(float* stage, int left, int N, int K) {
#pragma unroll
        for (int i = 0; i < COUNT_A; ++i) {
            copy<4>(stage + to_A + i * STEP_A, from_A + static_cast<long long>(i * STEP_A) * N,
                    k_A < left && i * STEP_A < rows_left);
        }
#pragma unroll
        for (int i = 0; i < COUNT_B; ++i) {
            copy<WIDTH * 4>(stage + to_B + i * STEP_B * TILE_N, from_B + static_cast<long long>(i * STEP_B) * K,
                            inside && k_B + i * STEP_B < left);
        }
        from_A += DEPTH;
        from_B += static_cast<long long>(DEPTH) * K;
    }
};

__device__ void read(float* to, const float* from) {
    const float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

// WIDTH is 4 where rows of B and C can be moved as float4, else 1.
template <int WIDTH>
__global__ void __launch_bounds__(THREADS)
    multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    extern __shared__ __align__(16) float tiles[];

    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const int row = warp / WARPS_N * WARP_M + lane / LANES_N * FOUR;
    const int column = warp % WARPS_N * WARP_N + lane % LANES_N * FOUR;
    const int first_row = blockIdx.y * TILE_M;
    const int first_column = blockIdx.x * TILE_N;
    Copies<WIDTH> copies(A, B, M, N, K, first_row, first_column);

    float sum[ROWS][COLUMNS] = {};
    float a[2][ROWS];
    float b[2][COLUMNS];
    auto read_k = [&](int into, const float* stage, int k) {
#pragma unroll
        for (int i = 0; i < ROWS / FOUR; ++i) {
            read(a[into] + i * FOUR, stage + k * PITCH + row + i * STRIDE_M);
        }
#pragma unroll
        for (int j = 0; j < COLUMNS / FOUR; ++j) {
            read(b[into] + j * FOUR, stage + DEPTH * PITCH + k * TILE_N + column + j * STRIDE_N);
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
    read_k(0, tiles, 0);
    for (int start = 0; start < N; start += DEPTH) {
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            if (k == DEPTH - 1) {
                wait();
                now = now == STAGES - 1 ? 0 : now + 1;
            }
            read_k((k + 1) % 2, tiles + now * STAGE, (k + 1) % DEPTH);
            if (k == 0) {
                // Into the stage whose last k was read before the latest barrier.
                copies.begin(tiles + ahead * STAGE, N - start - (STAGES - 1) * DEPTH, N, K);
                asm volatile("cp.async.commit_group;" ::: "memory");
                ahead = ahead == STAGES - 1 ? 0 : ahead + 1;
            }
#pragma unroll
            for (int i = 0; i < ROWS; ++i) {
#pragma unroll
                for (int j = 0; j < COLUMNS; ++j) {
                    sum[i][j] += a[k % 2][i] * b[k % 2][j];
                }
            }
        }
    }

#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
        const int to_row = first_row + row + i / FOUR * STRIDE_M + i % FOUR;
        if (to_row >= M) {
            continue;
        }
#pragma unroll
        for (int j = 0; j < COLUMNS; j += WIDTH) {
            const int to_column = first_column + column + j / FOUR * STRIDE_N + j % FOUR;
            if (to_column < K) {
                float* to = C + static_cast<long long>(to_row) * K + to_column;
                if (WIDTH == FOUR) {
                    *reinterpret_cast<float4*>(to) =
                        make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
                } else {
                    *to = sum[i][j];
                }
            }
        }
    }
}

template <int WIDTH>
void launch(const float* A, const float* B, float* C, int M, int N, int K) {
    constexpr int BYTES = STAGES * STAGE * sizeof(float);
    cudaFuncSetAttribute(multiply<WIDTH>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    const dim3 grid((K + TILE_N - 1) / TILE_N, (M + TILE_M - 1) / TILE_M);
    multiply<WIDTH><<<grid, THREADS, BYTES>>>(A, B, C, M, N, K);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (K % FOUR == 0) {
        launch<FOUR>(A, B, C, M, N, K);
    } else {
        launch<1>(A, B, C, M, N, K);
    }
}
