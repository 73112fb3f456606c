// expect: accepted
//
// Half-precision matrix multiplication, the ladder's step 3: wgmma and TMA, for Hopper.
//
// Added to step 2: wgmma multiplies straight from shared memory, four warps at a time and while they go on, at twice
// the rate of mma.sync. One thread of a block brings whole tiles there by TMA, which computes the addresses, permutes
// the chunks and counts the bytes that have arrived at a barrier; two warpgroups do nothing but multiply, 64 x 256
// elements of C each. Two blocks form a cluster and share each tile of B, of which either loads a half for both.
// Blocks are as many as the GPU has processors and take tile after tile, so that the next slabs are loaded while
// results are stored. Where tiles are too few for all processors they are half as wide. Expected: one and a half times step 2, about what the library reaches.
//
// TMA wants rows that begin at multiples of 16 bytes. Where they do not, a kernel copies the matrix to one with rows that
// are up to seven halves longer: its time grows with the area, and that of the product with the volume. Before Hopper a
// plain kernel takes over.

#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int TILE_M = 128;                             // rows of C that a block makes at a time
constexpr int DEPTH = 64;                               // k of a slab: 128 bytes of a row of A
constexpr int STAGES = 4;                               // slabs in shared memory
constexpr int CLUSTER = 2;                              // blocks that share tiles of B
constexpr int BAND = 8;                                 // clusters whose tiles lie below each other are made together
constexpr int WARPGROUP = 128;                          // threads
constexpr int CONSUMERS = 2;                            // warpgroups that multiply
constexpr int THREADS = (1 + CONSUMERS) * WARPGROUP;
constexpr int ROWS = TILE_M / CONSUMERS;                // of C that a warpgroup makes
constexpr int BOX = 64;                                 // columns of B that TMA copies at once: 128 bytes
constexpr int BYTES_A = TILE_M * DEPTH * sizeof(half);
constexpr int BYTES_BOX = BOX * DEPTH * sizeof(half);
constexpr int ALIGNMENT = 1024;                         // after which the permutation of 128-byte rows repeats
constexpr int BARRIER = sizeof(uint64_t);

// Of tiles of TILE_N columns of C: bytes of a slab, and of all shared memory.
template <int TILE_N>
constexpr int STAGE = BYTES_A + TILE_N / BOX * BYTES_BOX;
template <int TILE_N>
constexpr int SHARED = ALIGNMENT + STAGES * (STAGE<TILE_N> + 2 * BARRIER);

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

// What wgmma is told of a matrix whose rows of 128 bytes lie permuted, eight rows every `stride` bytes. `leading` is
// where its next 64 columns are, for one whose columns are wider than that.
__device__ uint64_t describe(uint32_t address, int leading, int stride) {
    constexpr uint64_t PERMUTED_BY_128_BYTES = 1ull << 62;
    return static_cast<uint64_t>(address >> 4 & 0x3fff) | static_cast<uint64_t>(leading >> 4) << 16 |
           static_cast<uint64_t>(stride >> 4) << 32 | PERMUTED_BY_128_BYTES;
}

// Adds the product of 64 x 16 elements of A and 16 x 256 of B; begins anew where `more` is 0.
__device__ void multiply_add(float (&c)[128], uint64_t a, uint64_t b, int more) {
    asm volatile(
        "{.reg .pred p; setp.ne.b32 p, %130, 0; wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
        "%128, %129, p, 1, 1, 0, 1;}"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
          "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
          "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
          "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]),
          "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]),
          "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]),
          "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]),
          "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63]),
          "+f"(c[64]), "+f"(c[65]), "+f"(c[66]), "+f"(c[67]), "+f"(c[68]), "+f"(c[69]), "+f"(c[70]), "+f"(c[71]),
          "+f"(c[72]), "+f"(c[73]), "+f"(c[74]), "+f"(c[75]), "+f"(c[76]), "+f"(c[77]), "+f"(c[78]), "+f"(c[79]),
          "+f"(c[80]), "+f"(c[81]), "+f"(c[82]), "+f"(c[83]), "+f"(c[84]), "+f"(c[85]), "+f"(c[86]), "+f"(c[87]),
          "+f"(c[88]), "+f"(c[89]), "+f"(c[90]), "+f"(c[91]), "+f"(c[92]), "+f"(c[93]), "+f"(c[94]), "+f"(c[95]),
          "+f"(c[96]), "+f"(c[97]), "+f"(c[98]), "+f"(c[99]), "+f"(c[100]), "+f"(c[101]), "+f"(c[102]), "+f"(c[103]),
          "+f"(c[104]), "+f"(c[105]), "+f"(c[106]), "+f"(c[107]), "+f"(c[108]), "+f"(c[109]), "+f"(c[110]), "+f"(c[111]),
          "+f"(c[112]), "+f"(c[113]), "+f"(c[114]), "+f"(c[115]), "+f"(c[116]), "+f"(c[117]), "+f"(c[118]), "+f"(c[119]),
          "+f"(c[120]), "+f"(c[121]), "+f"(c[122]), "+f"(c[123]), "+f"(c[124]), "+f"(c[125]), "+f"(c[126]), "+f"(c[127])
        : "l"(a), "l"(b), "r"(more));
}

// The same with 16 x 128 elements of B.
__device__ void multiply_add(float (&c)[64], uint64_t a, uint64_t b, int more) {
    asm volatile(
        "{.reg .pred p; setp.ne.b32 p, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, p, 1, 1, 0, 1;}"
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
    int clusters_m, tiles_n, width, rank;

    __device__ int count() const {
        return clusters_m * tiles_n;
    }

    __device__ void place(int turn, int& row, int& column) const {
        const int band = turn / (BAND * tiles_n);
        const int in_band = turn % (BAND * tiles_n);
        const int rows = min(BAND, clusters_m - band * BAND);
        row = ((band * BAND + in_band % rows) * CLUSTER + rank) * TILE_M;
        column = in_band / rows * width;
    }
};

// Four lanes hold eight neighbours of a row, two each, in each of four places; they swap until each has eight of one
// place, which it stores at once.
template <int COUNT>
__device__ void store_by_eight(half* C, int M, int K, int row, int column, const float (&c)[COUNT], int lane) {
    const int quarter = lane % 4;
#pragma unroll
    for (int below = 0; below < 2; ++below) {
        const int to_row = row + lane / 4 + below * 8;
#pragma unroll
        for (int j = 0; j < COUNT / 4; j += 4) {
            __align__(16) half2 held[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                held[i] = __floats2half2_rn(c[(j + i) * 4 + below * 2], c[(j + i) * 4 + below * 2 + 1]);
            }
            const bool odd = quarter & 1;
            const half2 first = __shfl_xor_sync(~0u, odd ? held[0] : held[1], 1);
            const half2 second = __shfl_xor_sync(~0u, odd ? held[2] : held[3], 1);
            held[0] = odd ? first : held[0];
            held[1] = odd ? held[1] : first;
            held[2] = odd ? second : held[2];
            held[3] = odd ? held[3] : second;
            const bool high = quarter & 2;
            const half2 third = __shfl_xor_sync(~0u, high ? held[0] : held[2], 2);
            const half2 fourth = __shfl_xor_sync(~0u, high ? held[1] : held[3], 2);
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

template <int COUNT>
__device__ void store_by_one(half* C, int M, int K, int row, int column, const float (&c)[COUNT], int lane) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        const int to_row = row + lane / 4 + i / 2 % 2 * 8;
        const int to_column = column + i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (to_row < M && to_column < K) {
            C[static_cast<int64_t>(to_row) * K + to_column] = __float2half(c[i]);
        }
    }
}

#endif

// WIDE where every row of C begins at a multiple of 16 bytes.
template <int TILE_N, bool WIDE>
__global__ void __launch_bounds__(THREADS)
    multiply(const __grid_constant__ CUtensorMap map_A, const __grid_constant__ CUtensorMap map_B, half* C, int M,
             int N, int K) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ uint8_t memory[];
    const uint32_t tiles = (shared_address(memory) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const uint32_t full = tiles + STAGES * STAGE<TILE_N>;       // one barrier a stage: its slab has arrived
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
    const Turns turns{(M + TILE_M * CLUSTER - 1) / (TILE_M * CLUSTER), (K + TILE_N - 1) / TILE_N, TILE_N, rank};
    int row, column;
    int stage = 0;
    int parity = 0;
    if (threadIdx.x < WARPGROUP) {
        // Registers that this warpgroup does not need go to those that multiply: 40 + 2 x 232 are what there was.
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            for (int turn = cluster; turn < turns.count(); turn += clusters) {
                turns.place(turn, row, column);
                for (int slab = 0; slab < slabs; ++slab) {
                    const uint32_t to = tiles + stage * STAGE<TILE_N>;
                    const uint32_t arrived = full + stage * BARRIER;
                    wait(empty + stage * BARRIER, parity ^ 1);
                    expect(arrived, STAGE<TILE_N>);
                    copy(&map_A, to, arrived, slab * DEPTH, row);
#pragma unroll
                    for (int i = 0; i < TILE_N / BOX / CLUSTER; ++i) {
                        const int box = rank * (TILE_N / BOX / CLUSTER) + i;
                        copy_to_all(&map_B, to + BYTES_A + box * BYTES_BOX, arrived, column + box * BOX, slab * DEPTH);
                    }
                    if (++stage == STAGES) {
                        stage = 0;
                        parity ^= 1;
                    }
                }
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const int group = threadIdx.x / WARPGROUP - 1;
        const int in_group = threadIdx.x % WARPGROUP;
        const auto release = [&](int used) {
            if (in_group < CLUSTER) {
                arrive(empty + used * BARRIER, in_group);
            }
        };
        for (int turn = cluster; turn < turns.count(); turn += clusters) {
            turns.place(turn, row, column);
            float c[TILE_N / 2];
            int before = -1;
            for (int slab = 0; slab < slabs; ++slab) {
                wait(full + stage * BARRIER, parity);
                const uint32_t tile_A = tiles + stage * STAGE<TILE_N> + group * ROWS * DEPTH * sizeof(half);
                const uint32_t tile_B = tiles + stage * STAGE<TILE_N> + BYTES_A;
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
                for (int k = 0; k < DEPTH; k += 16) {
                    multiply_add(c, describe(tile_A + k * sizeof(half), 16, ALIGNMENT),
                                 describe(tile_B + k * BOX * sizeof(half), BYTES_BOX, ALIGNMENT), slab + k);
                }
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                // The slab before this one is done with: one is multiplied while the next is waited for.
                asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
                if (before >= 0) {
                    release(before);
                }
                before = stage;
                if (++stage == STAGES) {
                    stage = 0;
                    parity ^= 1;
                }
            }
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            release(before);
            const int first_row = row + group * ROWS + in_group / 32 * 16;
            if constexpr (WIDE) {
                store_by_eight(C, M, K, first_row, column, c, in_group % 32);
            } else {
                store_by_one(C, M, K, first_row, column, c, in_group % 32);
            }
        }
    }
    // No block ends while another one of its cluster may write to its shared memory.
    __syncwarp();
    sync_cluster();
#endif
}

constexpr int TILE = 16;

__global__ void multiply_plainly(const half* A, const half* B, half* C, int M, int N, int K) {
    __shared__ half tile_A[TILE][TILE];
    __shared__ half tile_B[TILE][TILE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int row = blockIdx.y * TILE + y;
    const int column = blockIdx.x * TILE + x;
    const half zero = __float2half(0.0f);
    float sum = 0.0f;
    for (int start = 0; start < N; start += TILE) {
        tile_A[y][x] = row < M && start + x < N ? A[static_cast<int64_t>(row) * N + start + x] : zero;
        tile_B[y][x] = start + y < N && column < K ? B[static_cast<int64_t>(start + y) * K + column] : zero;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            sum += __half2float(tile_A[y][k]) * __half2float(tile_B[k][x]);
        }
        __syncthreads();
    }
    if (row < M && column < K) {
        C[static_cast<int64_t>(row) * K + column] = __float2half(sum);
    }
}

constexpr int COPIED = 4;  // rows that a thread copies an element of

// Copies a matrix to one whose rows are `pitch` halves apart.
__global__ void lengthen_rows(const half* from, half* to, int rows, int columns, int pitch) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int first = (blockIdx.y * blockDim.y + threadIdx.y) * COPIED;
    half held[COPIED];
#pragma unroll
    for (int i = 0; i < COPIED; ++i) {
        const bool inside = first + i < rows && column < columns;
        held[i] = inside ? from[static_cast<int64_t>(first + i) * columns + column] : __float2half(0.0f);
    }
#pragma unroll
    for (int i = 0; i < COPIED; ++i) {
        if (first + i < rows && column < pitch) {
            to[static_cast<int64_t>(first + i) * pitch + column] = held[i];
        }
    }
}

// A matrix whose rows begin at multiples of 16 bytes: this one, or a copy in memory of its own.
struct Aligned {
    const half* matrix;
    half* memory = nullptr;
    int pitch;

    Aligned(const half* from, int rows, int columns) : matrix(from), pitch((columns + 7) / 8 * 8) {
        if (pitch != columns) {
            cudaMalloc(&memory, static_cast<size_t>(rows) * pitch * sizeof(half));
            const dim3 block(32, 8);
            const dim3 grid((pitch + block.x - 1) / block.x, (rows + block.y * COPIED - 1) / (block.y * COPIED));
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

// The map by which TMA copies boxes of `box_rows` x 64 halves; what lies outside of the matrix arrives as zeros.
static CUtensorMap make_map(Encode encode, const Aligned& aligned, int rows, int columns, int box_rows) {
    CUtensorMap map;
    const cuuint64_t sizes[] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
    const cuuint64_t pitches[] = {aligned.pitch * sizeof(half)};
    const cuuint32_t box[] = {BOX, static_cast<cuuint32_t>(box_rows)};
    const cuuint32_t steps[] = {1, 1};
    encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, const_cast<half*>(aligned.matrix), sizes, pitches, box, steps,
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

// Columns of a tile: 128 where that spares a round of blocks more than it costs, a tenth by its smaller products.
static int choose_width(int M, int K, int processors) {
    const int rows = (M + TILE_M * CLUSTER - 1) / (TILE_M * CLUSTER) * CLUSTER;
    const auto rounds = [&](int width) { return (rows * ((K + width - 1) / width) + processors - 1) / processors; };
    return rounds(128) * 11 < rounds(256) * 20 ? 128 : 256;
}

// Whether this GPU has TMA and wgmma; then the product is made.
static bool multiply_by_tma(const half* A, const half* B, half* C, int M, int N, int K) {
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
    const bool narrow = choose_width(M, K, processors) == 128;
    const bool wide = K % 8 == 0;
    const auto kernel = narrow ? (wide ? multiply<128, true> : multiply<128, false>)
                               : (wide ? multiply<256, true> : multiply<256, false>);
    const int bytes = narrow ? SHARED<128> : SHARED<256>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = CLUSTER;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(processors / CLUSTER * CLUSTER);
    config.blockDim = dim3(THREADS);
    config.dynamicSmemBytes = bytes;
    config.attrs = &attribute;
    config.numAttrs = 1;
    const Aligned aligned_A(A, M, N);
    const Aligned aligned_B(B, N, K);
    const CUtensorMap map_A = make_map(reinterpret_cast<Encode>(encode), aligned_A, M, N, TILE_M);
    const CUtensorMap map_B = make_map(reinterpret_cast<Encode>(encode), aligned_B, N, K, DEPTH);
    return cudaLaunchKernelEx(&config, kernel, map_A, map_B, C, M, N, K) == cudaSuccess;
}

extern "C" void solve(const half* A, const half* B, half* C, int M, int N, int K) {
    if (!multiply_by_tma(A, B, C, M, N, K)) {
        const dim3 grid((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);
        multiply_plainly<<<grid, dim3(TILE, TILE)>>>(A, B, C, M, N, K);
    }
}
