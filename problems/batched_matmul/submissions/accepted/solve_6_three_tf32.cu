// expect: accepted
//
// Batched matrix multiplication, step 6: tensor cores, with three TF32 products for one of fp32.
//
// Added to step 5: a float is the sum of two TF32 numbers, a big one and what is left. Three products of these, without
// the one of the two small ones, are as accurate as one in fp32, and a tensor core makes them sooner than the other
// units make the one. A warp splits what it has read from shared memory, so that nothing is stored twice. The next tiles
// come by asynchronous copies, 16 bytes each where rows allow it, with zeros for what lies outside. Expect half the time
// of step 5 and less where arithmetic is the limit.

#include <cuda_runtime.h>

#define DEPTH 16

struct Split {
    unsigned big;
    unsigned small;
};

// Rounds to the 11 significant bits of TF32; of the small part the tensor core takes no more than 11.
__device__ __forceinline__ Split split(float value) {
    const unsigned big = (__float_as_uint(value) + 0x1000u) & 0xffffe000u;
    return {big, __float_as_uint(value - __uint_as_float(big))};
}

__device__ __forceinline__ void multiply(float (&sum)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0,
                                         unsigned b1) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// Copies 16 bytes, or 4, without waiting; zeros where there is nothing.
__device__ __forceinline__ void copy_four(float* to, const float* from, bool there) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from),
                 "r"(there ? 16 : 0)
                 : "memory");
}

__device__ __forceinline__ void copy_one(float* to, const float* from, bool there) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from),
                 "r"(there ? 4 : 0)
                 : "memory");
}

// Copies a tile of HEIGHT x WIDTH from (first_row, first_column) of a matrix.
template <int HEIGHT, int WIDTH, int PITCH, int THREADS>
__device__ __forceinline__ void fetch(float (*tile)[PITCH], const float* __restrict__ matrix, int rows, int columns,
                                      int first_row, int first_column) {
    if (columns % 4 == 0) {
#pragma unroll
        for (int i = 0; i < HEIGHT * WIDTH / 4 / THREADS; i++) {
            const int place = i * THREADS + threadIdx.x;
            const int y = place / (WIDTH / 4);
            const int x = place % (WIDTH / 4) * 4;
            const bool there = first_row + y < rows && first_column + x < columns;
            const size_t at = there ? (size_t)(first_row + y) * columns + first_column + x : 0;
            copy_four(&tile[y][x], matrix + at, there);
        }
    } else {
#pragma unroll
        for (int i = 0; i < HEIGHT * WIDTH / THREADS; i++) {
            const int place = i * THREADS + threadIdx.x;
            const int y = place / WIDTH;
            const int x = place % WIDTH;
            const bool there = first_row + y < rows && first_column + x < columns;
            const size_t at = there ? (size_t)(first_row + y) * columns + first_column + x : 0;
            copy_one(&tile[y][x], matrix + at, there);
        }
    }
}

// A block has SIDE x SIDE elements of C, a warp SIDE / 2 x 32 of them.
template <int SIDE>
__global__ void __launch_bounds__(2 * SIDE, 256 / SIDE)
    product(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
    constexpr int THREADS = 2 * SIDE;
    constexpr int DOWN = SIDE / 32;
    // The pitches let the lanes of a fragment read from 32 different banks.
    __shared__ __align__(16) float tile_A[2][SIDE][DEPTH + 4];
    __shared__ __align__(16) float tile_B[2][DEPTH][SIDE + 8];
    A += (size_t)blockIdx.z * M * N;
    B += (size_t)blockIdx.z * N * K;
    C += (size_t)blockIdx.z * M * K;
    const int top = blockIdx.y * SIDE;
    const int left = blockIdx.x * SIDE;
    const int warp = threadIdx.x / 32;
    const int group = threadIdx.x % 32 / 4;
    const int member = threadIdx.x % 4;
    const int y = warp % 2 * (SIDE / 2);
    const int x = warp / 2 * 32;

    auto fetch_both = [&](int buffer, int first) {
        fetch<SIDE, DEPTH, DEPTH + 4, THREADS>(tile_A[buffer], A, M, N, top, first);
        fetch<DEPTH, SIDE, SIDE + 8, THREADS>(tile_B[buffer], B, N, K, first, left);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };

    float sum[DOWN][4][4] = {};
    fetch_both(0, 0);
    for (int first = 0, buffer = 0; first < N; first += DEPTH, buffer ^= 1) {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        // Also: everybody is done with the buffer that is filled next.
        __syncthreads();
        if (first + DEPTH < N) {
            fetch_both(buffer ^ 1, first + DEPTH);
        }
#pragma unroll
        for (int k = 0; k < DEPTH; k += 8) {
            Split b[4][2];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                b[j][0] = split(tile_B[buffer][k + member][x + j * 8 + group]);
                b[j][1] = split(tile_B[buffer][k + member + 4][x + j * 8 + group]);
            }
#pragma unroll
            for (int i = 0; i < DOWN; i++) {
                const int row = y + i * 16 + group;
                const Split a0 = split(tile_A[buffer][row][k + member]);
                const Split a1 = split(tile_A[buffer][row + 8][k + member]);
                const Split a2 = split(tile_A[buffer][row][k + member + 4]);
                const Split a3 = split(tile_A[buffer][row + 8][k + member + 4]);
                // The small products first. Sums of different tiles stand between two steps of the same sum.
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    multiply(sum[i][j], a0.small, a1.small, a2.small, a3.small, b[j][0].big, b[j][1].big);
                }
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    multiply(sum[i][j], a0.big, a1.big, a2.big, a3.big, b[j][0].small, b[j][1].small);
                }
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    multiply(sum[i][j], a0.big, a1.big, a2.big, a3.big, b[j][0].big, b[j][1].big);
                }
            }
        }
    }

#pragma unroll
    for (int i = 0; i < DOWN; i++) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int row = top + y + i * 16 + half * 8 + group;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const int column = left + x + j * 8 + member * 2;
                if (row < M && column < K) {
                    float* to = C + (size_t)row * K + column;
                    if (K % 2 == 0) {
                        *reinterpret_cast<float2*>(to) = make_float2(sum[i][j][half * 2], sum[i][j][half * 2 + 1]);
                    } else {
                        to[0] = sum[i][j][half * 2];
                        if (column + 1 < K) {
                            to[1] = sum[i][j][half * 2 + 1];
                        }
                    }
                }
            }
        }
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int BATCH, int M, int N, int K) {
    if (M <= 64 || K <= 64) {
        product<64><<<dim3((K + 63) / 64, (M + 63) / 64, BATCH), 128>>>(A, B, C, M, N, K);
    } else {
        product<128><<<dim3((K + 127) / 128, (M + 127) / 128, BATCH), 256>>>(A, B, C, M, N, K);
    }
}
