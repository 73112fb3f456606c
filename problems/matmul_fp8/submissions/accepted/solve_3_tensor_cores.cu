// expect: accepted
//
// fp8 matrix multiplication, step 3: tensor cores by mma.sync, tiles on their way by cp.async.
//
// Added to step 2: a block of eight warps makes 128 x 128 elements of C, a warp 64 x 32 of them, by products of 16 x 8
// x 32 8-bit floats each. Two tiles of 64 columns lie in shared memory: one is multiplied while the next is copied, 16
// bytes at a time. A row there is 80 bytes long, so that the eight rows of a fragment lie in different banks. After
// each 128 terms the sums of the tensor cores go to floats: they keep some 13 bits only. Expect twenty times the speed
// of step 2 and more; on Hopper wgmma doubles it again.

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int SIDE = 128;  // rows and columns of C that a block makes
constexpr int DEPTH = 64;  // columns of A and B in a tile
constexpr int PITCH = 80;  // bytes of a row in shared memory
constexpr int THREADS = 256;
constexpr int WARP_M = 64;
constexpr int WARP_N = 32;
constexpr int PARTS_M = WARP_M / 16;
constexpr int PARTS_N = WARP_N / 8;
constexpr int TERMS = 128;  // that the tensor cores add up by themselves

using Tile = unsigned char[SIDE][PITCH];

// Copies rows first .. first + SIDE - 1 of a matrix, columns start .. start + DEPTH - 1; zeros outside of it.
template <bool BY_16>
__device__ __forceinline__ void load(Tile& tile, const unsigned char* __restrict__ matrix, int first, int rows,
                                     int start, int N) {
    if constexpr (BY_16) {
#pragma unroll
        for (int k = 0; k < SIDE * DEPTH / 16 / THREADS; k++) {
            const int piece = k * THREADS + threadIdx.x;
            const int row = piece / (DEPTH / 16);
            const int column = piece % (DEPTH / 16) * 16;
            const bool inside = first + row < rows && start + column < N;
            const unsigned char* from = matrix + (inside ? (size_t)(first + row) * N + start + column : 0);
            __pipeline_memcpy_async(&tile[row][column], from, 16, inside ? 0 : 16);
        }
    } else {
        for (int k = threadIdx.x; k < SIDE * DEPTH; k += THREADS) {
            const int row = k / DEPTH;
            const int column = k % DEPTH;
            const bool inside = first + row < rows && start + column < N;
            tile[row][column] = inside ? matrix[(size_t)(first + row) * N + start + column] : 0;
        }
    }
    __pipeline_commit();
}

__device__ __forceinline__ unsigned word(const unsigned char* from) {
    return *reinterpret_cast<const unsigned*>(from);
}

__device__ __forceinline__ void multiply(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <bool BY_16>
__global__ void __launch_bounds__(THREADS)
    matmul(const unsigned char* __restrict__ A, const unsigned char* __restrict__ B, const float* __restrict__ scale_a,
           const float* __restrict__ scale_b, __nv_bfloat16* __restrict__ C, int M, int N, int K) {
    __shared__ __align__(16) Tile a[2];
    __shared__ __align__(16) Tile b[2];
    const int first_row = blockIdx.y * SIDE;
    const int first_column = blockIdx.x * SIDE;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int top = warp / 4 * WARP_M;
    const int left = warp % 4 * WARP_N;
    const int in_group = lane % 4 * 4;
    const int group = lane / 4;

    float sums[PARTS_M][PARTS_N][4] = {};
    float parts[PARTS_M][PARTS_N][4] = {};
    load<BY_16>(a[0], A, first_row, M, 0, N);
    load<BY_16>(b[0], B, first_column, K, 0, N);
    int now = 0;
    for (int start = 0; start < N; start += DEPTH) {
        __pipeline_wait_prior(0);
        __syncthreads();
        if (start + DEPTH < N) {
            load<BY_16>(a[1 - now], A, first_row, M, start + DEPTH, N);
            load<BY_16>(b[1 - now], B, first_column, K, start + DEPTH, N);
        }
#pragma unroll
        for (int n = 0; n < DEPTH; n += 32) {
            unsigned mine_a[PARTS_M][4];
            unsigned mine_b[PARTS_N][2];
#pragma unroll
            for (int i = 0; i < PARTS_M; i++) {
                const unsigned char* from = &a[now][top + i * 16 + group][n + in_group];
                mine_a[i][0] = word(from);
                mine_a[i][1] = word(from + 8 * PITCH);
                mine_a[i][2] = word(from + 16);
                mine_a[i][3] = word(from + 8 * PITCH + 16);
            }
#pragma unroll
            for (int j = 0; j < PARTS_N; j++) {
                const unsigned char* from = &b[now][left + j * 8 + group][n + in_group];
                mine_b[j][0] = word(from);
                mine_b[j][1] = word(from + 16);
            }
#pragma unroll
            for (int i = 0; i < PARTS_M; i++) {
#pragma unroll
                for (int j = 0; j < PARTS_N; j++) {
                    multiply(parts[i][j], mine_a[i], mine_b[j]);
                }
            }
        }
        if ((start + DEPTH) % TERMS == 0 || start + DEPTH >= N) {
#pragma unroll
            for (int i = 0; i < PARTS_M; i++) {
#pragma unroll
                for (int j = 0; j < PARTS_N; j++) {
#pragma unroll
                    for (int k = 0; k < 4; k++) {
                        sums[i][j][k] += parts[i][j][k];
                        parts[i][j][k] = 0.0f;
                    }
                }
            }
        }
        now = 1 - now;
    }
#pragma unroll
    for (int i = 0; i < PARTS_M; i++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int row = first_row + top + i * 16 + group + k / 2 * 8;
            if (row < M) {
                const float scale = scale_a[row];
#pragma unroll
                for (int j = 0; j < PARTS_N; j++) {
                    const int column = first_column + left + j * 8 + lane % 4 * 2 + k % 2;
                    if (column < K) {
                        C[(size_t)row * K + column] = __float2bfloat16(scale * scale_b[column] * sums[i][j][k]);
                    }
                }
            }
        }
    }
}

extern "C" void solve(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a, const float* scale_b,
                      __nv_bfloat16* C, int M, int N, int K) {
    const dim3 grid((K + SIDE - 1) / SIDE, (M + SIDE - 1) / SIDE);
    const unsigned char* a = reinterpret_cast<const unsigned char*>(A);
    const unsigned char* b = reinterpret_cast<const unsigned char*>(B);
    if (N % 16 == 0) {
        matmul<true><<<grid, THREADS>>>(a, b, scale_a, scale_b, C, M, N, K);
    } else {
        matmul<false><<<grid, THREADS>>>(a, b, scale_a, scale_b, C, M, N, K);
    }
}
