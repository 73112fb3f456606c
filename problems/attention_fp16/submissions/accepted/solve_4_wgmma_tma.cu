// expect: accepted
//
// Attention in half precision, step 4: wgmma and TMA, for Hopper.
//
// Added to step 3: wgmma multiplies straight from shared memory, four warps at a time and while they go on, at twice the
// rate of mma.sync. One thread of a block brings whole tiles there by TMA; two warpgroups have 64 rows of Q each. A
// warpgroup has the scores of the next tile and the values of this one multiplied at once, and computes exponentials
// meanwhile; the two take turns to begin, so that one multiplies while the other one does not. Tiles come in descending
// order, for only the first of them, on the diagonal, has to be masked. Blocks are as many as the GPU has processors and
// take rows from the longest to the shortest, there and back, so that all have about as much to do. Expected: one and a
// half times step 3.
//
// TMA wants rows that begin at multiples of 16 bytes. Where they do not, a kernel copies the matrices to ones with rows
// that are up to seven halves longer. Before Hopper a plain kernel takes over.

#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int SIDE = 128;                               // rows of Q that a block makes at a time, rows of K and V in a tile
constexpr int WARPGROUP = 128;                          // threads
constexpr int CONSUMERS = 2;                            // warpgroups that multiply
constexpr int THREADS = (1 + CONSUMERS) * WARPGROUP;
constexpr int ROWS = SIDE / CONSUMERS;                  // of Q that a warpgroup makes
constexpr int BOX = 64;                                 // columns that TMA copies at once: 128 bytes
constexpr int BYTES_BOX = SIDE * BOX * sizeof(half);
constexpr int STAGES = 2;                               // tiles of K, and of V, in shared memory
constexpr int ALIGNMENT = 1024;                         // after which the permutation of 128-byte rows repeats
constexpr int BARRIER = sizeof(uint64_t);
constexpr int BARRIERS = 2 + 4 * STAGES;
constexpr float LOG2_E = 1.44269504f;

template <int DEPTH>
constexpr int BOXES = (DEPTH + BOX - 1) / BOX;
template <int DEPTH>
constexpr int BYTES_TILE = BOXES<DEPTH> * BYTES_BOX;
template <int DEPTH>
constexpr int SHARED = ALIGNMENT + (1 + 2 * STAGES) * BYTES_TILE<DEPTH> + BARRIERS * BARRIER;

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

__device__ __forceinline__ uint32_t shared_address(const void* at) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(at));
}

__device__ __forceinline__ void initialise(uint32_t barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}

// Waits until the phase of this parity is over.
__device__ __forceinline__ void wait(uint32_t barrier, int parity) {
    asm volatile(
        "{.reg .pred done;"
        "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;"
        "@!done bra again;}" ::"r"(barrier),
        "r"(parity)
        : "memory");
}

__device__ __forceinline__ void expect(uint32_t barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void arrive(uint32_t barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// A tile or its stages in shared memory, with a barrier for each that it has arrived and one that it has been used.
struct Ring {
    uint32_t tiles, full, empty;
    int stages;
    int stage = 0;
    int parity = 0;

    __device__ __forceinline__ void initialise_barriers() const {
        for (int i = 0; i < stages; ++i) {
            initialise(full + i * BARRIER, 1);
            initialise(empty + i * BARRIER, CONSUMERS);
        }
    }

    __device__ __forceinline__ void step() {
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }

    __device__ __forceinline__ uint32_t arrived() const {
        return full + stage * BARRIER;
    }

    __device__ __forceinline__ uint32_t used() const {
        return empty + stage * BARRIER;
    }

    template <int DEPTH>
    __device__ __forceinline__ uint32_t tile() const {
        return tiles + stage * BYTES_TILE<DEPTH>;
    }

    // Begins to copy rows `row` to `row + SIDE - 1` of a head into the next stage; zeros where the matrix has ended.
    template <int DEPTH>
    __device__ __forceinline__ void load(const CUtensorMap* map, int row, int head) {
        wait(used(), parity ^ 1);
        expect(arrived(), BYTES_TILE<DEPTH>);
#pragma unroll
        for (int box = 0; box < BOXES<DEPTH>; ++box) {
            asm volatile(
                "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(tile<DEPTH>() + box * BYTES_BOX),
                "l"(map), "r"(arrived()), "r"(box * BOX), "r"(row), "r"(head)
                : "memory");
        }
        step();
    }
};

// What wgmma is told of a matrix whose rows of 128 bytes lie permuted, eight rows every 1024 bytes. `leading` is where
// its next 64 columns are, for one whose columns are wider than that.
__device__ __forceinline__ uint64_t describe(uint32_t address, int leading) {
    constexpr uint64_t PERMUTED_BY_128_BYTES = 1ull << 62;
    return static_cast<uint64_t>(address >> 4 & 0x3fff) | static_cast<uint64_t>(leading >> 4) << 16 |
           static_cast<uint64_t>(ALIGNMENT >> 4) << 32 | PERMUTED_BY_128_BYTES;
}

// Begins to multiply 64 x 16 elements of Q by 16 x 128 of K transposed; adds to what is there where `more` is not 0.
__device__ __forceinline__ void multiply(float (&c)[64], uint64_t a, uint64_t b, int more) {
    asm volatile(
        "{.reg .pred p; setp.ne.b32 p, %66, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, p, 1, 1, 0, 0;}"
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

// Begins to add the product of 64 x 16 probabilities in registers and 16 x 128 elements of V.
__device__ __forceinline__ void multiply_add(float (&c)[64], const uint32_t* a, uint64_t b) {
    asm volatile(
        "{.reg .pred p; setp.eq.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "{%64, %65, %66, %67}, %68, p, 1, 1, 1;}"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
          "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
          "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
          "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]),
          "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]),
          "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]),
          "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]),
          "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// The same for 16 x 64 elements of V.
__device__ __forceinline__ void multiply_add(float (&c)[32], const uint32_t* a, uint64_t b) {
    asm volatile(
        "{.reg .pred p; setp.eq.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
        "{%32, %33, %34, %35}, %36, p, 1, 1, 1;}"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
          "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
          "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
          "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// The same for 16 x 96 elements of V.
__device__ __forceinline__ void multiply_add(float (&c)[48], const uint32_t* a, uint64_t b) {
    asm volatile(
        "{.reg .pred p; setp.eq.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n96k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47}, "
        "{%48, %49, %50, %51}, %52, p, 1, 1, 1;}"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
          "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
          "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
          "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]),
          "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]),
          "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// Before products whose registers were written since the ones before.
__device__ __forceinline__ void open_group() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void close_group() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits for all groups of products but the latest LEFT.
template <int LEFT>
__device__ __forceinline__ void wait_for_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

// The scores of 64 rows of Q and a tile of K, not yet divided by the root.
template <int DEPTH>
__device__ __forceinline__ void begin_scores(float (&score)[SIDE / 2], uint32_t queries, uint32_t keys) {
    open_group();
#pragma unroll
    for (int k = 0; k < DEPTH; k += 16) {
        const uint32_t at = k / BOX * BYTES_BOX + k % BOX * sizeof(half);
        multiply(score, describe(queries + at, 16), describe(keys + at, 16), k);
    }
    close_group();
}

template <int DEPTH>
__device__ __forceinline__ void begin_output(float (&result)[DEPTH / 2], const uint32_t (&p)[SIDE / 4],
                                             uint32_t values) {
    open_group();
#pragma unroll
    for (int k = 0; k < SIDE; k += 16) {
        multiply_add(result, p + k / 4, describe(values + k * BOX * sizeof(half), BYTES_BOX));
    }
    close_group();
}

// The warpgroups take turns: each waits for its own barrier, at which the other one arrives.
__device__ __forceinline__ void wait_for_turn(int group) {
    asm volatile("bar.sync %0, %1;" ::"r"(1 + group), "n"(CONSUMERS * WARPGROUP) : "memory");
}

__device__ __forceinline__ void give_turn(int group) {
    asm volatile("bar.arrive %0, %1;" ::"r"(1 + group), "n"(CONSUMERS * WARPGROUP) : "memory");
}

__device__ __forceinline__ float exp_2(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

// Two rows of a lane, eight apart: their largest scores and their sums so far, of which each of four lanes has a part.
struct Softmax {
    float factor;
    float largest[2] = {-INFINITY, -INFINITY};
    float sum[2] = {};

    // Turns scores into weights, and says by how much earlier ones have to be corrected.
    __device__ __forceinline__ void weigh(float (&score)[SIDE / 2], float (&correction)[2]) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            float larger = largest[i];
#pragma unroll
            for (int j = i * 2; j < SIDE / 2; j += 4) {
                larger = fmaxf(larger, fmaxf(score[j], score[j + 1]));
            }
            larger = fmaxf(larger, __shfl_xor_sync(~0u, larger, 1));
            larger = fmaxf(larger, __shfl_xor_sync(~0u, larger, 2));
            correction[i] = exp_2((largest[i] - larger) * factor);
            largest[i] = larger;
            const float offset = larger * factor;
            float together = 0.0f;
#pragma unroll
            for (int j = i * 2; j < SIDE / 2; j += 4) {
                score[j] = exp_2(score[j] * factor - offset);
                score[j + 1] = exp_2(score[j + 1] * factor - offset);
                together += score[j] + score[j + 1];
            }
            sum[i] = sum[i] * correction[i] + together;
        }
    }

    __device__ __forceinline__ float total(int i) const {
        const float two = sum[i] + __shfl_xor_sync(~0u, sum[i], 1);
        return two + __shfl_xor_sync(~0u, two, 2);
    }
};

// What a lane holds of the scores is what it has to hold of a factor, in pairs of halves.
__device__ __forceinline__ void pack(uint32_t (&p)[SIDE / 4], const float (&score)[SIDE / 2]) {
#pragma unroll
    for (int i = 0; i < SIDE / 4; ++i) {
        const half2 pair = __floats2half2_rn(score[i * 2], score[i * 2 + 1]);
        p[i] = *reinterpret_cast<const uint32_t*>(&pair);
    }
}

// Four lanes hold eight neighbours of a row, two each, in each of four places; they swap until each has eight of one
// place, which it stores at once.
template <int COUNT>
__device__ __forceinline__ void store_by_eight(half* output, int N, int D, int row, const float (&c)[COUNT], int lane) {
    const int quarter = lane % 4;
#pragma unroll
    for (int below = 0; below < 2; ++below) {
        const int to_row = row + below * 8;
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
            const int column = (j + quarter) * 8;
            if (to_row < N && column < D) {
                *reinterpret_cast<uint4*>(output + static_cast<size_t>(to_row) * D + column) =
                    *reinterpret_cast<const uint4*>(held);
            }
        }
    }
}

template <int COUNT>
__device__ __forceinline__ void store_by_one(half* output, int N, int D, int row, const float (&c)[COUNT], int lane) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        const int to_row = row + i / 2 % 2 * 8;
        const int column = i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (to_row < N && column < D) {
            output[static_cast<size_t>(to_row) * D + column] = __float2half(c[i]);
        }
    }
}

#endif

// What a block does at each turn: `SIDE` rows of a head. All heads' last rows come first: they see most.
struct Turns {
    int heads, blocks_of_rows;

    // False after the last turn.
    __device__ bool place(int turn, int& block_of_rows, int& head) const {
        const int there = turn * gridDim.x + blockIdx.x;
        const int back = (turn + 1) * gridDim.x - 1 - blockIdx.x;
        const int item = turn % 2 == 0 ? there : back;
        block_of_rows = blocks_of_rows - 1 - item / heads;
        head = item % heads;
        return item < heads * blocks_of_rows;
    }
};

// WIDE where every row of the output begins at a multiple of 16 bytes.
template <int DEPTH, bool WIDE>
__global__ void __launch_bounds__(THREADS, 1)
    attend(const __grid_constant__ CUtensorMap map_Q, const __grid_constant__ CUtensorMap map_K,
           const __grid_constant__ CUtensorMap map_V, half* output, int N, int D, Turns turns) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ uint8_t memory[];
    const uint32_t tiles = (shared_address(memory) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const uint32_t barriers = tiles + (1 + 2 * STAGES) * BYTES_TILE<DEPTH>;
    Ring queries{tiles, barriers, barriers + BARRIER, 1};
    Ring keys{tiles + BYTES_TILE<DEPTH>, barriers + 2 * BARRIER, barriers + (2 + STAGES) * BARRIER, STAGES};
    Ring values{tiles + (1 + STAGES) * BYTES_TILE<DEPTH>, barriers + (2 + 2 * STAGES) * BARRIER,
                barriers + (2 + 3 * STAGES) * BARRIER, STAGES};
    if (threadIdx.x == 0) {
        queries.initialise_barriers();
        keys.initialise_barriers();
        values.initialise_barriers();
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();

    int block_of_rows, head;
    if (threadIdx.x < WARPGROUP) {
        // Registers that this warpgroup does not need go to those that multiply: 40 + 2 x 232 are what there was.
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            for (int turn = 0; turns.place(turn, block_of_rows, head); ++turn) {
                queries.load<DEPTH>(&map_Q, block_of_rows * SIDE, head);
                keys.load<DEPTH>(&map_K, block_of_rows * SIDE, head);
                for (int tile = block_of_rows; tile > 0; --tile) {
                    keys.load<DEPTH>(&map_K, (tile - 1) * SIDE, head);
                    values.load<DEPTH>(&map_V, tile * SIDE, head);
                }
                values.load<DEPTH>(&map_V, 0, head);
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const int group = threadIdx.x / WARPGROUP - 1;
        const int in_group = threadIdx.x % WARPGROUP;
        const int lane = threadIdx.x % 32;
        const int row_of_block = group * ROWS + in_group / 32 * 16 + lane / 4;
        const auto release = [&](Ring& ring) {
            if (in_group == 0) {
                arrive(ring.used());
            }
            ring.step();
        };
        if (group == 1) {
            give_turn(0);
        }
        for (int turn = 0; turns.place(turn, block_of_rows, head); ++turn) {
            Softmax softmax{LOG2_E / sqrtf(static_cast<float>(D))};
            float result[DEPTH / 2] = {};
            float score[SIDE / 2];
            float correction[2];
            uint32_t p[SIDE / 4];
            const uint32_t mine = queries.tile<DEPTH>() + group * ROWS * BOX * sizeof(half);

            wait(queries.arrived(), queries.parity);
            wait(keys.arrived(), keys.parity);
            wait_for_turn(group);
            begin_scores<DEPTH>(score, mine, keys.tile<DEPTH>());
            give_turn(1 - group);
            wait_for_products<0>();
            release(keys);
#pragma unroll
            for (int i = 0; i < SIDE / 2; ++i) {
                const int key = i / 4 * 8 + lane % 4 * 2 + i % 2;
                score[i] = key > row_of_block + i / 2 % 2 * 8 ? -INFINITY : score[i];
            }
            softmax.weigh(score, correction);
            pack(p, score);

            if (block_of_rows > 0) {
                wait(keys.arrived(), keys.parity);
            }

            for (int tile = block_of_rows; tile > 0; --tile) {
                wait_for_turn(group);
                begin_scores<DEPTH>(score, mine, keys.tile<DEPTH>());
                wait(values.arrived(), values.parity);
                begin_output<DEPTH>(result, p, values.tile<DEPTH>());
                give_turn(1 - group);
                wait_for_products<1>();
                release(keys);
                softmax.weigh(score, correction);
                // Waited for here, and not at the next turn of the loop: without a branch in between, the compiler moves
                // the exponentials behind the products, to which they are no hindrance.
                if (tile > 1) {
                    wait(keys.arrived(), keys.parity);
                }
                wait_for_products<0>();
                release(values);
#pragma unroll
                for (int i = 0; i < DEPTH / 2; ++i) {
                    result[i] *= correction[i / 2 % 2];
                }
                pack(p, score);
            }
            release(queries);
            wait(values.arrived(), values.parity);
            begin_output<DEPTH>(result, p, values.tile<DEPTH>());
            const float divisors[2] = {1.0f / softmax.total(0), 1.0f / softmax.total(1)};
            wait_for_products<0>();
            release(values);
#pragma unroll
            for (int i = 0; i < DEPTH / 2; ++i) {
                result[i] *= divisors[i / 2 % 2];
            }
            half* to = output + static_cast<size_t>(head) * N * D;
            if constexpr (WIDE) {
                store_by_eight(to, N, D, block_of_rows * SIDE + row_of_block, result, lane);
            } else {
                store_by_one(to, N, D, block_of_rows * SIDE + row_of_block, result, lane);
            }
        }
    }
#endif
}

constexpr int WARPS = 8;

// A warp for each row, its lanes share the columns.
__global__ void attend_plainly(const half* Q, const half* K, const half* V, half* output, int N, int D) {
    const int row = blockIdx.x * WARPS + threadIdx.y;
    const int lane = threadIdx.x;
    if (row >= N) {
        return;
    }
    const size_t head = static_cast<size_t>(blockIdx.y) * N * D;
    float q[4];
    float mean[4];
#pragma unroll
    for (int part = 0; part < 4; ++part) {
        const int d = part * 32 + lane;
        q[part] = d < D ? __half2float(Q[head + static_cast<size_t>(row) * D + d]) : 0.0f;
        mean[part] = 0.0f;
    }
    const float root = sqrtf(static_cast<float>(D));
    float largest = -INFINITY;
    float sum = 0.0f;
    for (int j = 0; j <= row; ++j) {
        const size_t from = head + static_cast<size_t>(j) * D + lane;
        float score = 0.0f;
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            score += part * 32 + lane < D ? q[part] * __half2float(K[from + part * 32]) : 0.0f;
        }
        for (int distance = 16; distance > 0; distance /= 2) {
            score += __shfl_xor_sync(~0u, score, distance);
        }
        score /= root;
        const float larger = fmaxf(largest, score);
        const float correction = expf(largest - larger);
        const float weight = expf(score - larger);
        sum = sum * correction + weight;
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            mean[part] *= correction;
            mean[part] += part * 32 + lane < D ? weight * __half2float(V[from + part * 32]) : 0.0f;
        }
        largest = larger;
    }
#pragma unroll
    for (int part = 0; part < 4; ++part) {
        const int d = part * 32 + lane;
        if (d < D) {
            output[head + static_cast<size_t>(row) * D + d] = __float2half(mean[part] / sum);
        }
    }
}

// Copies `rows` rows of D halves to ones that are `pitch` halves apart.
__global__ void lengthen_rows(const half* from, half* to, int rows, int D, int pitch) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    for (int column = threadIdx.x; row < rows && column < pitch; column += blockDim.x) {
        to[static_cast<size_t>(row) * pitch + column] =
            column < D ? from[static_cast<size_t>(row) * D + column] : __float2half(0.0f);
    }
}

// A matrix whose rows begin at multiples of 16 bytes: this one, or a copy in memory of its own.
struct Aligned {
    const half* matrix;
    half* memory = nullptr;
    int pitch;

    Aligned(const half* from, int rows, int D) : matrix(from), pitch((D + 7) / 8 * 8) {
        if (pitch != D) {
            cudaMalloc(&memory, static_cast<size_t>(rows) * pitch * sizeof(half));
            lengthen_rows<<<(rows + 7) / 8, dim3(32, 8)>>>(from, memory, rows, D, pitch);
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

// The map by which TMA copies boxes of SIDE x 64 halves of a head; what lies outside of it arrives as zeros.
static CUtensorMap make_map(Encode encode, const Aligned& aligned, int H, int N, int D) {
    CUtensorMap map;
    const cuuint64_t sizes[] = {static_cast<cuuint64_t>(D), static_cast<cuuint64_t>(N), static_cast<cuuint64_t>(H)};
    const cuuint64_t pitch = aligned.pitch * sizeof(half);
    const cuuint64_t pitches[] = {pitch, pitch * N};
    const cuuint32_t box[] = {BOX, SIDE, 1};
    const cuuint32_t steps[] = {1, 1, 1};
    encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, const_cast<half*>(aligned.matrix), sizes, pitches, box, steps,
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

template <int DEPTH>
void launch(Encode encode, const half* Q, const half* K, const half* V, half* output, int H, int N, int D) {
    int processors = 0;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    constexpr int BYTES = SHARED<DEPTH>;
    const auto kernel = D % 8 == 0 ? attend<DEPTH, true> : attend<DEPTH, false>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    const Turns turns{H, (N + SIDE - 1) / SIDE};
    const Aligned aligned_Q(Q, H * N, D);
    const Aligned aligned_K(K, H * N, D);
    const Aligned aligned_V(V, H * N, D);
    kernel<<<min(processors, H * turns.blocks_of_rows), THREADS, BYTES>>>(
        make_map(encode, aligned_Q, H, N, D), make_map(encode, aligned_K, H, N, D),
        make_map(encode, aligned_V, H, N, D), output, N, D, turns);
}

// The function that makes tensor maps, where this GPU has TMA and wgmma; else a null pointer.
static Encode find_encode() {
    int major = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    void* encode = nullptr;
    cudaDriverEntryPointQueryResult result;
    if (major == 9) {
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &result);
    }
    return reinterpret_cast<Encode>(encode);
}

extern "C" void solve(const half* Q, const half* K, const half* V, half* output, int H, int N, int D) {
    const Encode encode = find_encode();
    if (encode == nullptr) {
        attend_plainly<<<dim3((N + WARPS - 1) / WARPS, H), dim3(32, WARPS)>>>(Q, K, V, output, N, D);
    } else if (D <= 64) {
        launch<64>(encode, Q, K, V, output, H, N, D);
    } else if (D <= 96) {
        launch<96>(encode, Q, K, V, output, H, N, D);
    } else {
        launch<128>(encode, Q, K, V, output, H, N, D);
    }
}
