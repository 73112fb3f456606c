// expect: accepted
//
// Quantised matrix multiplication, step 6: wgmma and TMA, for Hopper.
//
// Added to step 5: wgmma multiplies straight from shared memory, four warps at a time and while they go on, at twice the
// rate of mma.sync. One thread of a block brings tiles there by TMA, which computes the addresses, permutes the chunks and
// counts the bytes that have arrived; two blocks form a cluster and share each tile of B, of which either loads a half
// for both. B is turned round four by four bytes in registers, and 16 bytes are stored at once. Expect one and a half
// times the speed of step 5 and more.
//
// Before Hopper a plain kernel takes over.

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int TILE_M = 128;                             // rows of C that a block makes at a time
constexpr int TILE_N = 256;                             // columns of C that a block makes at a time
constexpr int DEPTH = 128;                              // k of a slab: 128 bytes of a row
constexpr int STAGES = 4;                               // slabs in shared memory
constexpr int CLUSTER = 2;                              // blocks that share tiles of B
constexpr int BAND = 8;                                 // clusters whose tiles lie below each other are made together
constexpr int WARPGROUP = 128;                          // threads
constexpr int CONSUMERS = 2;                            // warpgroups that multiply
constexpr int THREADS = (1 + CONSUMERS) * WARPGROUP;
constexpr int ROWS = TILE_M / CONSUMERS;                // of C that a warpgroup makes
constexpr int BYTES_A = TILE_M * DEPTH;
constexpr int STAGE = (TILE_M + TILE_N) * DEPTH;
constexpr int ALIGNMENT = 1024;                         // after which the permutation of 128-byte rows repeats
constexpr int BARRIER = sizeof(uint64_t);
constexpr int SHARED = ALIGNMENT + STAGES * (STAGE + 2 * BARRIER);

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

// Begins to add the product of 64 x 32 elements of A and 32 x 256 of B turned round; begins anew where `more` is 0.
__device__ __forceinline__ void multiply_add(int (&c)[128], uint64_t a, uint64_t b, int more) {
    asm volatile(
        "{.reg .pred p; setp.ne.b32 p, %130, 0; wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
        "%128, %129, p;}"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]), "+r"(c[4]), "+r"(c[5]), "+r"(c[6]), "+r"(c[7]),
          "+r"(c[8]), "+r"(c[9]), "+r"(c[10]), "+r"(c[11]), "+r"(c[12]), "+r"(c[13]), "+r"(c[14]), "+r"(c[15]),
          "+r"(c[16]), "+r"(c[17]), "+r"(c[18]), "+r"(c[19]), "+r"(c[20]), "+r"(c[21]), "+r"(c[22]), "+r"(c[23]),
          "+r"(c[24]), "+r"(c[25]), "+r"(c[26]), "+r"(c[27]), "+r"(c[28]), "+r"(c[29]), "+r"(c[30]), "+r"(c[31]),
          "+r"(c[32]), "+r"(c[33]), "+r"(c[34]), "+r"(c[35]), "+r"(c[36]), "+r"(c[37]), "+r"(c[38]), "+r"(c[39]),
          "+r"(c[40]), "+r"(c[41]), "+r"(c[42]), "+r"(c[43]), "+r"(c[44]), "+r"(c[45]), "+r"(c[46]), "+r"(c[47]),
          "+r"(c[48]), "+r"(c[49]), "+r"(c[50]), "+r"(c[51]), "+r"(c[52]), "+r"(c[53]), "+r"(c[54]), "+r"(c[55]),
          "+r"(c[56]), "+r"(c[57]), "+r"(c[58]), "+r"(c[59]), "+r"(c[60]), "+r"(c[61]), "+r"(c[62]), "+r"(c[63]),
          "+r"(c[64]), "+r"(c[65]), "+r"(c[66]), "+r"(c[67]), "+r"(c[68]), "+r"(c[69]), "+r"(c[70]), "+r"(c[71]),
          "+r"(c[72]), "+r"(c[73]), "+r"(c[74]), "+r"(c[75]), "+r"(c[76]), "+r"(c[77]), "+r"(c[78]), "+r"(c[79]),
          "+r"(c[80]), "+r"(c[81]), "+r"(c[82]), "+r"(c[83]), "+r"(c[84]), "+r"(c[85]), "+r"(c[86]), "+r"(c[87]),
          "+r"(c[88]), "+r"(c[89]), "+r"(c[90]), "+r"(c[91]), "+r"(c[92]), "+r"(c[93]), "+r"(c[94]), "+r"(c[95]),
          "+r"(c[96]), "+r"(c[97]), "+r"(c[98]), "+r"(c[99]), "+r"(c[100]), "+r"(c[101]), "+r"(c[102]), "+r"(c[103]),
          "+r"(c[104]), "+r"(c[105]), "+r"(c[106]), "+r"(c[107]), "+r"(c[108]), "+r"(c[109]), "+r"(c[110]), "+r"(c[111]),
          "+r"(c[112]), "+r"(c[113]), "+r"(c[114]), "+r"(c[115]), "+r"(c[116]), "+r"(c[117]), "+r"(c[118]), "+r"(c[119]),
          "+r"(c[120]), "+r"(c[121]), "+r"(c[122]), "+r"(c[123]), "+r"(c[124]), "+r"(c[125]), "+r"(c[126]), "+r"(c[127])
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
        row = ((band * BAND + in_band % rows) * CLUSTER + rank) * TILE_M;
        column = in_band / rows * TILE_N;
    }
};

// The byte that a sum is rounded to.
__device__ __forceinline__ unsigned quantise(int sum, float scale) {
    return min(max(__float2int_rn(sum * scale), -128), 127) & 0xff;
}

// Four lanes hold eight neighbours of a row, two each, in each of four places; they swap until each has eight of one
// place, which it stores at once.
__device__ void store_by_eight(signed char* C, const float* scale, int M, int K, int row, int column,
                               const int (&c)[128], int lane) {
    const int quarter = lane % 4;
#pragma unroll
    for (int j = 0; j < TILE_N / 8; j += 4) {
        float scales[4][2];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int at = column + (j + i) * 8 + quarter * 2;
            scales[i][0] = at < K ? scale[at] : 0.0f;
            scales[i][1] = at < K ? scale[at + 1] : 0.0f;
        }
#pragma unroll
        for (int below = 0; below < 2; ++below) {
            const int to_row = row + lane / 4 + below * 8;
            unsigned held[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int at = (j + i) * 4 + below * 2;
                held[i] = quantise(c[at], scales[i][0]) | quantise(c[at + 1], scales[i][1]) << 8;
            }
            const bool odd = quarter & 1;
            const unsigned first = __shfl_xor_sync(~0u, odd ? held[0] : held[1], 1);
            const unsigned second = __shfl_xor_sync(~0u, odd ? held[2] : held[3], 1);
            held[0] = odd ? first : held[0];
            held[1] = odd ? held[1] : first;
            held[2] = odd ? second : held[2];
            held[3] = odd ? held[3] : second;
            const bool high = quarter & 2;
            const unsigned third = __shfl_xor_sync(~0u, high ? held[0] : held[2], 2);
            const unsigned fourth = __shfl_xor_sync(~0u, high ? held[1] : held[3], 2);
            held[0] = high ? third : held[0];
            held[1] = high ? fourth : held[1];
            held[2] = high ? held[2] : third;
            held[3] = high ? held[3] : fourth;
            const int to_column = column + (j + quarter) * 8;
            if (to_row < M && to_column < K) {
                *reinterpret_cast<uint2*>(C + static_cast<int64_t>(to_row) * K + to_column) =
                    make_uint2(held[0] | held[1] << 16, held[2] | held[3] << 16);
            }
        }
    }
}

__device__ void store_by_one(signed char* C, const float* scale, int M, int K, int row, int column, const int (&c)[128],
                             int lane) {
#pragma unroll
    for (int i = 0; i < 128; ++i) {
        const int to_row = row + lane / 4 + i / 2 % 2 * 8;
        const int to_column = column + i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (to_row < M && to_column < K) {
            C[static_cast<int64_t>(to_row) * K + to_column] = static_cast<signed char>(quantise(c[i], scale[to_column]));
        }
    }
}

#endif

// WIDE where every row of C begins at a multiple of eight bytes.
template <bool WIDE>
__global__ void __launch_bounds__(THREADS)
    multiply(const __grid_constant__ CUtensorMap map_A, const __grid_constant__ CUtensorMap map_B, const float* scale,
             signed char* C, int M, int N, int K) {
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
    const Turns turns{(M + TILE_M * CLUSTER - 1) / (TILE_M * CLUSTER), (K + TILE_N - 1) / TILE_N, rank};
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
                    const int first = rank * (TILE_N / CLUSTER);
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
        const auto release = [&](int used) {
            if (in_group < CLUSTER) {
                arrive(empty + used * BARRIER, in_group);
            }
        };
        for (int turn = cluster; turn < turns.count(); turn += clusters) {
            turns.place(turn, row, column);
            int c[128];
            int before = -1;
            for (int slab = 0; slab < slabs; ++slab) {
                wait(full + stage * BARRIER, parity);
                const uint32_t tile_A = tiles + stage * STAGE + group * ROWS * DEPTH;
                const uint32_t tile_B = tiles + stage * STAGE + BYTES_A;
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
                for (int k = 0; k < DEPTH; k += 32) {
                    multiply_add(c, describe(tile_A + k), describe(tile_B + k), slab + k);
                }
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                // The slab before this one is done with: one is multiplied while the next is waited for.
                asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
                if (before >= 0) {
                    release(before);
                }
                before = stage;
                step();
            }
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            release(before);
            const int first_row = row + group * ROWS + in_group / 32 * 16;
            if constexpr (WIDE) {
                store_by_eight(C, scale, M, K, first_row, column, c, lane);
            } else {
                store_by_one(C, scale, M, K, first_row, column, c, lane);
            }
        }
    }
    // No block ends while another one of its cluster may write to its shared memory.
    __syncwarp();
    sync_cluster();
#endif
}

constexpr int TILE = 16;

__global__ void multiply_plainly(const signed char* A, const signed char* B, const float* scale, signed char* C, int M,
                                 int N, int K) {
    __shared__ signed char tile_A[TILE][TILE];
    __shared__ signed char tile_B[TILE][TILE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int row = blockIdx.y * TILE + y;
    const int column = blockIdx.x * TILE + x;
    int sum = 0;
    for (int start = 0; start < N; start += TILE) {
        tile_A[y][x] = row < M && start + x < N ? A[static_cast<int64_t>(row) * N + start + x] : 0;
        tile_B[y][x] = start + y < N && column < K ? B[static_cast<int64_t>(start + y) * K + column] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            sum += tile_A[y][k] * tile_B[k][x];
        }
        __syncthreads();
    }
    if (row < M && column < K) {
        const int result = __float2int_rn(sum * scale[column]);
        C[static_cast<int64_t>(row) * K + column] = static_cast<signed char>(min(max(result, -128), 127));
    }
}

constexpr int FOUR = 4;  // bytes of a word
constexpr int TURNED = 64;  // rows and columns of a tile that is turned round
constexpr int TURNERS = 256;

// Four neighbours of a row; zeros outside of the matrix. ALIGNED where all rows begin at multiples of four bytes.
template <bool ALIGNED>
__device__ unsigned load_four(const signed char* from, int rows, int columns, int row, int column) {
    if (row >= rows || column >= columns) {
        return 0;
    }
    from += static_cast<int64_t>(row) * columns + column;
    if constexpr (ALIGNED) {
        return *reinterpret_cast<const unsigned*>(from);
    } else {
        unsigned four = 0;
#pragma unroll
        for (int c = 0; c < FOUR; ++c) {
            four |= column + c < columns ? static_cast<unsigned char>(from[c]) << 8 * c : 0;
        }
        return four;
    }
}

// Row j of the result is column j of the matrix. `pitch` is a multiple of 16; zeros stand behind the last row.
template <bool ALIGNED>
__global__ void __launch_bounds__(TURNERS)
    turn_round(const signed char* from, signed char* to, int rows, int columns, int pitch) {
    __shared__ unsigned tile[TURNED][TURNED / FOUR + 1];
    const int x = threadIdx.x % (TURNED / FOUR);
    const int y = threadIdx.x / (TURNED / FOUR);
    const int row = blockIdx.y * TURNED + y * FOUR;
    const int column = blockIdx.x * TURNED + x * FOUR;
    unsigned four[FOUR];
#pragma unroll
    for (int i = 0; i < FOUR; ++i) {
        four[i] = load_four<ALIGNED>(from, rows, columns, row + i, column);
    }
    const unsigned low_01 = __byte_perm(four[0], four[1], 0x5140);
    const unsigned low_23 = __byte_perm(four[2], four[3], 0x5140);
    const unsigned high_01 = __byte_perm(four[0], four[1], 0x7362);
    const unsigned high_23 = __byte_perm(four[2], four[3], 0x7362);
    tile[x * FOUR][y] = __byte_perm(low_01, low_23, 0x5410);
    tile[x * FOUR + 1][y] = __byte_perm(low_01, low_23, 0x7632);
    tile[x * FOUR + 2][y] = __byte_perm(high_01, high_23, 0x5410);
    tile[x * FOUR + 3][y] = __byte_perm(high_01, high_23, 0x7632);
    __syncthreads();
    const int to_row = blockIdx.x * TURNED + threadIdx.x / FOUR;
    const int word = threadIdx.x % FOUR * FOUR;
    const int to_column = blockIdx.y * TURNED + word * FOUR;
    if (to_row < columns && to_column < pitch) {
        const unsigned* words = &tile[threadIdx.x / FOUR][word];
        *reinterpret_cast<uint4*>(to + static_cast<int64_t>(to_row) * pitch + to_column) =
            make_uint4(words[0], words[1], words[2], words[3]);
    }
}

constexpr int COPIED = 4;  // rows that a thread copies four bytes of

// Copies a matrix to one whose rows are `pitch` bytes apart, with zeros behind.
__global__ void lengthen_rows(const signed char* from, signed char* to, int rows, int columns, int pitch) {
    const int column = (blockIdx.x * blockDim.x + threadIdx.x) * FOUR;
    const int first = (blockIdx.y * blockDim.y + threadIdx.y) * COPIED;
    unsigned held[COPIED];
#pragma unroll
    for (int i = 0; i < COPIED; ++i) {
        held[i] = load_four<false>(from, rows, columns, first + i, column);
    }
#pragma unroll
    for (int i = 0; i < COPIED; ++i) {
        if (first + i < rows && column < pitch) {
            *reinterpret_cast<unsigned*>(to + static_cast<int64_t>(first + i) * pitch + column) = held[i];
        }
    }
}

using Encode = decltype(&cuTensorMapEncodeTiled);

// The map by which TMA copies boxes of `box_rows` x 128 bytes; what lies outside of the matrix arrives as zeros.
static CUtensorMap make_map(Encode encode, const signed char* matrix, int rows, int columns, int pitch, int box_rows) {
    CUtensorMap map;
    const cuuint64_t sizes[] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
    const cuuint64_t pitches[] = {static_cast<cuuint64_t>(pitch)};
    const cuuint32_t box[] = {DEPTH, static_cast<cuuint32_t>(box_rows)};
    const cuuint32_t steps[] = {1, 1};
    encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, const_cast<signed char*>(matrix), sizes, pitches, box, steps,
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

// Whether this GPU has TMA and wgmma; then the product is made.
static bool multiply_by_tma(const signed char* A, const signed char* B, const float* scale, signed char* C, int M,
                            int N, int K) {
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
    const int pitch = (N + 15) / 16 * 16;
    signed char* turned;
    signed char* longer = nullptr;
    cudaMalloc(&turned, static_cast<size_t>(K) * pitch);
    const dim3 tiles((K + TURNED - 1) / TURNED, (N + TURNED - 1) / TURNED);
    const auto turn = K % FOUR == 0 ? turn_round<true> : turn_round<false>;
    turn<<<tiles, TURNERS>>>(B, turned, N, K, pitch);
    if (pitch != N) {
        cudaMalloc(&longer, static_cast<size_t>(M) * pitch);
        const dim3 block(32, 8);
        const dim3 grid((pitch / FOUR + block.x - 1) / block.x, (M + block.y * COPIED - 1) / (block.y * COPIED));
        lengthen_rows<<<grid, block>>>(A, longer, M, N, pitch);
    }
    const Encode make = reinterpret_cast<Encode>(encode);
    const CUtensorMap map_A = make_map(make, longer != nullptr ? longer : A, M, N, pitch, TILE_M);
    const CUtensorMap map_B = make_map(make, turned, K, N, pitch, TILE_N / CLUSTER);
    const bool made = cudaLaunchKernelEx(&config, kernel, map_A, map_B, scale, C, M, N, K) == cudaSuccess;
    cudaFree(turned);
    cudaFree(longer);
    return made;
}

extern "C" void solve(const signed char* A, const signed char* B, const float* scale, signed char* C, int M, int N,
                      int K) {
    if (!multiply_by_tma(A, B, scale, C, M, N, K)) {
        const dim3 grid((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);
        multiply_plainly<<<grid, dim3(TILE, TILE)>>>(A, B, scale, C, M, N, K);
    }
}
