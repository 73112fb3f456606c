// expect: accepted
//
// fp8 matrix multiplication, step 4: wgmma and TMA, for Hopper.
//
// Added to step 3: wgmma multiplies straight from shared memory, four warps at a time and while they go on, at twice the
// rate of mma.sync. One thread of a block brings tiles there by TMA, which computes the addresses, permutes the chunks and
// counts the bytes that have arrived; two blocks form a cluster and share each tile of B, of which either loads a half
// for both. The sums of 128 terms go to floats while the tensor cores make those of the next 128, in registers of their
// own. Blocks are as many as the GPU has processors and take tile after tile. Expect two to three times the speed of
// step 3.
//
// TMA wants rows that begin at multiples of 16 bytes. Where they do not, a kernel copies the matrix to one with rows that
// are up to 15 bytes longer. Before Hopper a plain kernel takes over.

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int SIDE = 128;                               // rows and columns of C that a block makes at a time
constexpr int DEPTH = 128;                              // k of a slab: 128 bytes of a row, the terms of one sum
constexpr int STAGES = 6;                               // slabs in shared memory
constexpr int CLUSTER = 2;                              // blocks that share tiles of B
constexpr int BAND = 8;                                 // clusters whose tiles lie below each other are made together
constexpr int WARPGROUP = 128;                          // threads
constexpr int CONSUMERS = 2;                            // warpgroups that multiply
constexpr int THREADS = (1 + CONSUMERS) * WARPGROUP;
constexpr int ROWS = SIDE / CONSUMERS;                  // of C that a warpgroup makes
constexpr int BYTES_A = SIDE * DEPTH;
constexpr int STAGE = 2 * BYTES_A;
constexpr int ALIGNMENT = 1024;                         // after which the permutation of 128-byte rows repeats
constexpr int BARRIER = sizeof(uint64_t);
constexpr int SHARED = ALIGNMENT + STAGES * (STAGE + 2 * BARRIER);

using byte = unsigned char;

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

__device__ uint32_t shared_address(const void* at) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(at));
}

__device__ void initialise(uint32_t barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}

// Waits until the phase of this parity is over.
__device__ void wait(uint32_t barrier, int parity) {
    asm volatile(
        "{.reg .pred done;"
        "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;"
        "@!done bra again;}" ::"r"(barrier),
        "r"(parity)
        : "memory");
}

__device__ void expect(uint32_t barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Arrives at the same barrier of another block of the cluster.
__device__ void arrive(uint32_t barrier, int block) {
    asm volatile(
        "{.reg .b32 there;"
        "mapa.shared::cluster.u32 there, %0, %1;"
        "mbarrier.arrive.shared::cluster.b64 _, [there];}" ::"r"(barrier),
        "r"(block)
        : "memory");
}

__device__ void sync_cluster() {
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

// Begins to copy a box to this block's shared memory; its bytes arrive at the barrier.
__device__ void copy(const CUtensorMap* map, uint32_t to, uint32_t barrier, int column, int row) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
            to),
        "l"(map), "r"(barrier), "r"(column), "r"(row)
        : "memory");
}

// The same to the same place of all blocks of the cluster.
__device__ void copy_to_all(const CUtensorMap* map, uint32_t to, uint32_t barrier, int column, int row) {
    constexpr uint16_t ALL = (1 << CLUSTER) - 1;
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to),
        "l"(map), "r"(barrier), "r"(column), "r"(row), "h"(ALL)
        : "memory");
}

// What wgmma is told of a matrix whose rows of 128 bytes lie permuted, eight rows every 1024 bytes.
__device__ uint64_t describe(uint32_t address) {
    constexpr uint64_t PERMUTED_BY_128_BYTES = 1ull << 62;
    return static_cast<uint64_t>(address >> 4 & 0x3fff) | 1ull << 16 | static_cast<uint64_t>(ALIGNMENT >> 4) << 32 |
           PERMUTED_BY_128_BYTES;
}

// Begins to add the product of 64 x 32 elements of A and 32 x 128 of B transposed; begins anew where `more` is 0.
__device__ __forceinline__ void multiply_add(float (&c)[64], uint64_t a, uint64_t b, int more) {
    asm volatile(
        "{.reg .pred p; setp.ne.b32 p, %66, 0; wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, p, 1, 1;}"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
          "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
          "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
          "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]),
          "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]),
          "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]),
          "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]),
          "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63])
        : "l"(a), "l"(b), "r"(more));
}

// The tile of C that comes at this turn: band by band, and down the columns of a band.
struct Turns {
    int clusters_m, tiles_n, rank;

    __device__ int count() const {
        return clusters_m * tiles_n;
    }

    __device__ void place(int turn, int& row, int& column) const {
        const int band = turn / (BAND * tiles_n);
        const int in_band = turn % (BAND * tiles_n);
        const int rows = min(BAND, clusters_m - band * BAND);
        row = ((band * BAND + in_band % rows) * CLUSTER + rank) * SIDE;
        column = in_band / rows * SIDE;
    }
};

// Four lanes hold eight neighbours of a row, two each, in each of four places; they swap until each has eight of one
// place, which it stores at once.
__device__ void store_by_eight(__nv_bfloat16* C, int M, int K, int row, int column, const float (&c)[64], int lane) {
    const int quarter = lane % 4;
#pragma unroll
    for (int below = 0; below < 2; ++below) {
        const int to_row = row + lane / 4 + below * 8;
#pragma unroll
        for (int j = 0; j < SIDE / 8; j += 4) {
            __align__(16) __nv_bfloat162 held[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                held[i] = __floats2bfloat162_rn(c[(j + i) * 4 + below * 2], c[(j + i) * 4 + below * 2 + 1]);
            }
            const bool odd = quarter & 1;
            const __nv_bfloat162 first = __shfl_xor_sync(~0u, odd ? held[0] : held[1], 1);
            const __nv_bfloat162 second = __shfl_xor_sync(~0u, odd ? held[2] : held[3], 1);
            held[0] = odd ? first : held[0];
            held[1] = odd ? held[1] : first;
            held[2] = odd ? second : held[2];
            held[3] = odd ? held[3] : second;
            const bool high = quarter & 2;
            const __nv_bfloat162 third = __shfl_xor_sync(~0u, high ? held[0] : held[2], 2);
            const __nv_bfloat162 fourth = __shfl_xor_sync(~0u, high ? held[1] : held[3], 2);
            held[0] = high ? third : held[0];
            held[1] = high ? fourth : held[1];
            held[2] = high ? held[2] : third;
            held[3] = high ? held[3] : fourth;
            const int to_column = column + (j + quarter) * 8;
            if (to_row < M && to_column < K) {
                *reinterpret_cast<uint4*>(C + static_cast<int64_t>(to_row) * K + to_column) =
                    *reinterpret_cast<const uint4*>(held);
            }
        }
    }
}

__device__ void store_by_one(__nv_bfloat16* C, int M, int K, int row, int column, const float (&c)[64], int lane) {
#pragma unroll
    for (int i = 0; i < 64; ++i) {
        const int to_row = row + lane / 4 + i / 2 % 2 * 8;
        const int to_column = column + i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (to_row < M && to_column < K) {
            C[static_cast<int64_t>(to_row) * K + to_column] = __float2bfloat16(c[i]);
        }
    }
}

#endif

// WIDE where every row of C begins at a multiple of 16 bytes.
template <bool WIDE>
__global__ void __launch_bounds__(THREADS)
    multiply(const __grid_constant__ CUtensorMap map_A, const __grid_constant__ CUtensorMap map_B, const float* scale_a,
             const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ uint8_t memory[];
    const uint32_t tiles = (shared_address(memory) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const uint32_t full = tiles + STAGES * STAGE;       // one barrier a stage: its slab has arrived
    const uint32_t empty = full + STAGES * BARRIER;     // one barrier a stage: all of the cluster have used its slab
    int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; ++stage) {
            initialise(full + stage * BARRIER, 1);
            initialise(empty + stage * BARRIER, CONSUMERS * CLUSTER);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    sync_cluster();

    const int cluster = blockIdx.x / CLUSTER;
    const int clusters = gridDim.x / CLUSTER;
    const int slabs = (N + DEPTH - 1) / DEPTH;
    const Turns turns{(M + SIDE * CLUSTER - 1) / (SIDE * CLUSTER), (K + SIDE - 1) / SIDE, rank};
    int row, column;
    int stage = 0;
    int parity = 0;
    const auto step = [&] {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    };
    if (threadIdx.x < WARPGROUP) {
        // Registers that this warpgroup does not need go to those that multiply: 40 + 2 x 232 are what there was.
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            for (int turn = cluster; turn < turns.count(); turn += clusters) {
                turns.place(turn, row, column);
                for (int slab = 0; slab < slabs; ++slab) {
                    const uint32_t to = tiles + stage * STAGE;
                    const uint32_t arrived = full + stage * BARRIER;
                    wait(empty + stage * BARRIER, parity ^ 1);
                    expect(arrived, STAGE);
                    copy(&map_A, to, arrived, slab * DEPTH, row);
                    const int first = rank * (SIDE / CLUSTER);
                    copy_to_all(&map_B, to + BYTES_A + first * DEPTH, arrived, slab * DEPTH, column + first);
                    step();
                }
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const int group = threadIdx.x / WARPGROUP - 1;
        const int in_group = threadIdx.x % WARPGROUP;
        const int lane = threadIdx.x % 32;
        int before = 0;
        const auto release = [&] {
            if (in_group < CLUSTER) {
                arrive(empty + before * BARRIER, in_group);
            }
        };
        const auto begin = [&](float(&part)[64]) {
            wait(full + stage * BARRIER, parity);
            const uint32_t tile_A = tiles + stage * STAGE + group * ROWS * DEPTH;
            const uint32_t tile_B = tiles + stage * STAGE + BYTES_A;
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int k = 0; k < DEPTH; k += 32) {
                multiply_add(part, describe(tile_A + k), describe(tile_B + k), k);
            }
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        };
        float sum[64];
        float parts[2][64];
        const auto add = [&](const float(&part)[64]) {
#pragma unroll
            for (int i = 0; i < 64; ++i) {
                sum[i] += part[i];
            }
        };
        // Begins a slab, and adds the one before it while it is multiplied.
        const auto begin_and_add = [&](float(&now)[64], const float(&then)[64]) {
            begin(now);
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
            release();
            add(then);
            before = stage;
            step();
        };
        for (int turn = cluster; turn < turns.count(); turn += clusters) {
            turns.place(turn, row, column);
#pragma unroll
            for (int i = 0; i < 64; ++i) {
                sum[i] = 0.0f;
            }
            begin(parts[0]);
            before = stage;
            step();
            int slab = 1;
            for (; slab + 1 < slabs; slab += 2) {
                begin_and_add(parts[1], parts[0]);
                begin_and_add(parts[0], parts[1]);
            }
            if (slab < slabs) {
                begin_and_add(parts[1], parts[0]);
                asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
                add(parts[1]);
            } else {
                asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
                add(parts[0]);
            }
            release();

            const int first_row = row + group * ROWS + in_group / 32 * 16;
            float scales[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                scales[i] = scale_a[min(first_row + lane / 4 + i * 8, M - 1)];
            }
#pragma unroll
            for (int i = 0; i < 64; ++i) {
                const int of_column = column + i / 4 * 8 + lane % 4 * 2 + i % 2;
                sum[i] *= scales[i / 2 % 2] * scale_b[min(of_column, K - 1)];
            }
            if constexpr (WIDE) {
                store_by_eight(C, M, K, first_row, column, sum, lane);
            } else {
                store_by_one(C, M, K, first_row, column, sum, lane);
            }
        }
    }
    // No block ends while another one of its cluster may write to its shared memory.
    __syncwarp();
    sync_cluster();
#endif
}

constexpr int TILE = 16;

__global__ void multiply_plainly(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a,
                                 const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
    __shared__ float tile_A[TILE][TILE];
    __shared__ float tile_B[TILE][TILE + 1];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int row = blockIdx.y * TILE + y;
    const int column = blockIdx.x * TILE + x;
    const int row_B = blockIdx.x * TILE + y;
    float sum = 0.0f;
    for (int start = 0; start < N; start += TILE) {
        const bool inside = start + x < N;
        tile_A[y][x] = row < M && inside ? float(A[static_cast<int64_t>(row) * N + start + x]) : 0.0f;
        tile_B[y][x] = row_B < K && inside ? float(B[static_cast<int64_t>(row_B) * N + start + x]) : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            sum += tile_A[y][k] * tile_B[x][k];
        }
        __syncthreads();
    }
    if (row < M && column < K) {
        C[static_cast<int64_t>(row) * K + column] = __float2bfloat16(scale_a[row] * scale_b[column] * sum);
    }
}

constexpr int COPIED = 4;  // rows that a thread copies four bytes of

// Copies a matrix to one whose rows are `pitch` bytes apart.
__global__ void lengthen_rows(const byte* from, byte* to, int rows, int columns, int pitch) {
    const int column = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    const int first = (blockIdx.y * blockDim.y + threadIdx.y) * COPIED;
    unsigned held[COPIED] = {};
#pragma unroll
    for (int i = 0; i < COPIED; ++i) {
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            if (first + i < rows && column + c < columns) {
                held[i] |= static_cast<unsigned>(from[static_cast<int64_t>(first + i) * columns + column + c]) << 8 * c;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < COPIED; ++i) {
        if (first + i < rows && column < pitch) {
            *reinterpret_cast<unsigned*>(to + static_cast<int64_t>(first + i) * pitch + column) = held[i];
        }
    }
}

// A matrix whose rows begin at multiples of 16 bytes: this one, or a copy in memory of its own.
struct Aligned {
    const byte* matrix;
    byte* memory = nullptr;
    int pitch;

    Aligned(const byte* from, int rows, int columns) : matrix(from), pitch((columns + 15) / 16 * 16) {
        if (pitch != columns) {
            cudaMalloc(&memory, static_cast<size_t>(rows) * pitch);
            const dim3 block(32, 8);
            const dim3 grid((pitch / 4 + block.x - 1) / block.x, (rows + block.y * COPIED - 1) / (block.y * COPIED));
            lengthen_rows<<<grid, block>>>(from, memory, rows, columns, pitch);
            matrix = memory;
        }
    }

    ~Aligned() {
        if (memory != nullptr) {
            cudaFree(memory);
        }
    }
};

using Encode = decltype(&cuTensorMapEncodeTiled);

// The map by which TMA copies boxes of `box_rows` x 128 halves; what lies outside of the matrix arrives as zeros.
static CUtensorMap make_map(Encode encode, const Aligned& aligned, int rows, int columns, int box_rows) {
    CUtensorMap map;
    const cuuint64_t sizes[] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
    const cuuint64_t pitches[] = {static_cast<cuuint64_t>(aligned.pitch)};
    const cuuint32_t box[] = {DEPTH, static_cast<cuuint32_t>(box_rows)};
    const cuuint32_t steps[] = {1, 1};
    encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, const_cast<byte*>(aligned.matrix), sizes, pitches, box, steps,
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

// Whether this GPU has TMA and wgmma; then the product is made.
static bool multiply_by_tma(const byte* A, const byte* B, const float* scale_a, const float* scale_b, __nv_bfloat16* C,
                            int M, int N, int K) {
    int major = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    if (major != 9) {
        return false;
    }
    void* encode = nullptr;
    cudaDriverEntryPointQueryResult result;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &result);
    if (result != cudaDriverEntryPointSuccess) {
        return false;
    }
    int processors = 0;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    const auto kernel = K % 8 == 0 ? multiply<true> : multiply<false>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = CLUSTER;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(processors / CLUSTER * CLUSTER);
    config.blockDim = dim3(THREADS);
    config.dynamicSmemBytes = SHARED;
    config.attrs = &attribute;
    config.numAttrs = 1;
    const Aligned aligned_A(A, M, N);
    const Aligned aligned_B(B, K, N);
    const CUtensorMap map_A = make_map(reinterpret_cast<Encode>(encode), aligned_A, M, N, SIDE);
    const CUtensorMap map_B = make_map(reinterpret_cast<Encode>(encode), aligned_B, K, N, SIDE / CLUSTER);
    return cudaLaunchKernelEx(&config, kernel, map_A, map_B, scale_a, scale_b, C, M, N, K) == cudaSuccess;
}

extern "C" void solve(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a, const float* scale_b,
                      __nv_bfloat16* C, int M, int N, int K) {
    const byte* bytes_A = reinterpret_cast<const byte*>(A);
    const byte* bytes_B = reinterpret_cast<const byte*>(B);
    if (!multiply_by_tma(bytes_A, bytes_B, scale_a, scale_b, C, M, N, K)) {
        const dim3 grid((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);
        multiply_plainly<<<grid, dim3(TILE, TILE)>>>(A, B, scale_a, scale_b, C, M, N, K);
    }
}
