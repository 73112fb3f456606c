// expect: accepted
//
// Matrix multiplication, the ladder's step 8: a tile of C for each warp, and larger tiles for blocks and threads.
//
// Added to step 7: a block makes 128 x 256 elements of C, each of its eight warps 64 x 64 that lie together, each
// thread 16 x 8. A warp then reads 128 floats from shared memory for 4,096 multiplications, and most of them are
// broadcasts; with the threads of a warp in two rows of a block's tile, as before, it read many more. The floats for
// the next k are read while those for this one are multiplied, over the end of a slab too, so that no multiplication
// waits. Expected: another 1.2 times, which is about what the library reaches.
//
// Large tiles are few, and seldom a multiple of the GPU's processors: the last round of blocks would leave some of them
// idle. So there are as many blocks as processors, each with the same number of whole tiles, and the tiles that are left
// over are shared slab by slab, all of them if there are few. A second kernel adds up the sums of tiles that several
// blocks have worked on. Expected: the three hundredths that idle processors cost at 4096, and more below.

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

// What each block multiplies: an equal share of the slabs of the first `shared` tiles, and then whole tiles.
struct Work {
    int tiles_n;  // tiles beside each other
    int tiles;
    int slabs;  // of a tile
    int shared;
    int blocks;

    __host__ __device__ long long first_slab(int block) const {
        return static_cast<long long>(shared) * slabs * block / blocks;
    }

    // The block whose share a slab is in.
    __device__ int owner(long long slab) const {
        return static_cast<int>(((slab + 1) * blocks - 1) / (static_cast<long long>(shared) * slabs));
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
__device__ void store(float* C, int M, int K, int to_row, int to_column, const float* four) {
    if (to_row >= M) {
        return;
    }
    float* to = C + static_cast<long long>(to_row) * K + to_column;
    if (WIDTH == FOUR) {
        if (to_column < K) {
            *reinterpret_cast<float4*>(to) = make_float4(four[0], four[1], four[2], four[3]);
        }
    } else {
#pragma unroll
        for (int j = 0; j < FOUR; ++j) {
            if (to_column + j < K) {
                to[j] = four[j];
            }
        }
    }
}

// Where a thread's first row and column are in its block's tile.
__device__ int row_of_thread() {
    return threadIdx.x / 32 / WARPS_N * WARP_M + threadIdx.x % 32 / LANES_N * FOUR;
}

__device__ int column_of_thread() {
    return threadIdx.x / 32 % WARPS_N * WARP_N + threadIdx.x % LANES_N * FOUR;
}

// Adds up the slabs from `slab` to `last_slab - 1` of a tile. Stores it, or its sums so far in `part` if there is one.
template <int WIDTH>
__device__ __forceinline__ void multiply_tile(const float* A, const float* B, float* C, int M, int N, int K,
                                              float* tiles, int first_row, int first_column, int slab, int last_slab,
                                              float4* part) {
    const int row = row_of_thread();
    const int column = column_of_thread();
    const int first_k = slab * DEPTH;
    const int end = min(N, last_slab * DEPTH);
    Copies<WIDTH> copies(A + first_k, B + static_cast<long long>(first_k) * K, M, N, K, first_row, first_column);

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
        copies.begin(tiles + slab * STAGE, end - first_k - slab * DEPTH, N, K);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    wait();
    int now = 0;
    int ahead = STAGES - 1;
    read_k(0, tiles, 0);
    for (int start = first_k; start < end; start += DEPTH) {
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            if (k == DEPTH - 1) {
                wait();
                now = now == STAGES - 1 ? 0 : now + 1;
            }
            read_k((k + 1) % 2, tiles + now * STAGE, (k + 1) % DEPTH);
            if (k == 0) {
                // Into the stage whose last k was read before the latest barrier.
                copies.begin(tiles + ahead * STAGE, end - start - (STAGES - 1) * DEPTH, N, K);
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
#pragma unroll
        for (int j = 0; j < COLUMNS; j += FOUR) {
            if (part != nullptr) {
                part[(i * COLUMNS + j) / FOUR * THREADS + threadIdx.x] =
                    make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
            } else {
                store<WIDTH>(C, M, K, first_row + row + i / FOUR * STRIDE_M + i % FOUR,
                             first_column + column + j / FOUR * STRIDE_N, sum[i] + j);
            }
        }
    }
}

// The place of a part is the number of its block and of its tile, added: no other part has the same.
template <int WIDTH>
__global__ void __launch_bounds__(THREADS)
    multiply(const float* A, const float* B, float* C, int M, int N, int K, Work work, float4* parts) {
    extern __shared__ __align__(16) float tiles[];
    long long slab = work.first_slab(blockIdx.x);
    const long long end = work.first_slab(blockIdx.x + 1);
    int whole = work.shared + blockIdx.x;
    while (slab < end || whole < work.tiles) {
        int tile = whole;
        int first = 0;
        int last = work.slabs;
        if (slab < end) {
            tile = static_cast<int>(slab / work.slabs);
            first = static_cast<int>(slab % work.slabs);
            last = static_cast<int>(min(static_cast<long long>(work.slabs), first + end - slab));
            slab += last - first;
        } else {
            whole += work.blocks;
        }
        const bool alone = first == 0 && last == work.slabs;
        float4* part = alone ? nullptr : parts + static_cast<size_t>(blockIdx.x + tile) * (TILE_M * TILE_N / FOUR);
        multiply_tile<WIDTH>(A, B, C, M, N, K, tiles, tile / work.tiles_n * TILE_M, tile % work.tiles_n * TILE_N,
                             first, last, part);
        // Nothing is on its way to this tile's slabs any more, and nobody reads them.
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
    }
}

// Adds up what several blocks have made of a tile: blockIdx.x is the tile, blockIdx.y one of its threads' float4s.
template <int WIDTH>
__global__ void __launch_bounds__(THREADS) join(const float4* parts, float* C, int M, int K, Work work) {
    const int tile = blockIdx.x;
    const int first = work.owner(static_cast<long long>(tile) * work.slabs);
    const int last = work.owner(static_cast<long long>(tile + 1) * work.slabs - 1);
    if (first == last) {
        return;
    }
    float sum[FOUR] = {};
    for (int block = first; block <= last; ++block) {
        const float4 part = parts[static_cast<size_t>(block + tile) * (TILE_M * TILE_N / FOUR) + blockIdx.y * THREADS +
                                  threadIdx.x];
        sum[0] += part.x;
        sum[1] += part.y;
        sum[2] += part.z;
        sum[3] += part.w;
    }
    const int i = blockIdx.y * FOUR / COLUMNS;
    const int j = blockIdx.y * FOUR % COLUMNS;
    store<WIDTH>(C, M, K, tile / work.tiles_n * TILE_M + row_of_thread() + i / FOUR * STRIDE_M + i % FOUR,
                 tile % work.tiles_n * TILE_N + column_of_thread() + j / FOUR * STRIDE_N, sum);
}

constexpr int WORTH = 8;  // slabs that a block has to be spared, or to do, for the second kernel to be worth it

static Work share(int M, int N, int K) {
    int processors = 0;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    Work work;
    work.tiles_n = (K + TILE_N - 1) / TILE_N;
    work.tiles = (M + TILE_M - 1) / TILE_M * work.tiles_n;
    work.slabs = (N + DEPTH - 1) / DEPTH;
    work.blocks = processors;
    work.shared = 0;
    const int rounds = (work.tiles + processors - 1) / processors;
    const long long idle = static_cast<long long>(rounds * processors - work.tiles) * work.slabs;
    if (idle > static_cast<long long>(WORTH) * processors) {
        // One round of whole tiles less than there could be: shares are then between one tile and two.
        work.shared = work.tiles - max(0, rounds - 2) * processors;
        const long long slabs = static_cast<long long>(work.shared) * work.slabs;
        if (slabs < static_cast<long long>(WORTH) * processors) {
            work.blocks = static_cast<int>(max(1ll, slabs / WORTH));
        }
    }
    return work;
}

template <int WIDTH>
void launch(const float* A, const float* B, float* C, int M, int N, int K) {
    constexpr int BYTES = STAGES * STAGE * sizeof(float);
    cudaFuncSetAttribute(multiply<WIDTH>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    const Work work = share(M, N, K);
    float4* parts = nullptr;
    if (work.shared > 0) {
        cudaMalloc(&parts, static_cast<size_t>(work.blocks + work.shared) * TILE_M * TILE_N * sizeof(float));
    }
    multiply<WIDTH><<<work.blocks, THREADS, BYTES>>>(A, B, C, M, N, K, work, parts);
    if (work.shared > 0) {
        join<WIDTH><<<dim3(work.shared, TILE_M * TILE_N / FOUR / THREADS), THREADS>>>(parts, C, M, K, work);
        cudaFree(parts);
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (K % FOUR == 0) {
        launch<FOUR>(A, B, C, M, N, K);
    } else {
        launch<1>(A, B, C, M, N, K);
    }
}
