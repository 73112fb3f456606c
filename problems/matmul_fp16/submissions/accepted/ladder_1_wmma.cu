// expect: accepted
//
// Half-precision matrix multiplication, the ladder's step 1: tensor cores by wmma.
//
// A block brings 128 x 32 elements of A and 32 x 128 of B to shared memory; each of its eight warps makes 64 x 32
// elements of C, as 4 x 2 fragments of 16 x 16, with sums in single precision. wmma hides which lane holds what; rows
// of the tiles are padded by 16 bytes so that it meets few bank conflicts. The block waits for each slab before it
// multiplies. Expected: ten times the kernels without tensor cores, a fifth of what the library reaches on a Hopper.

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

constexpr int TILE = 128;                               // rows and columns of C that a block makes
constexpr int DEPTH = 32;                               // k of a slab
constexpr int CHUNK = 8;                                // halves in 16 bytes
constexpr int PITCH_A = DEPTH + CHUNK;
constexpr int PITCH_B = TILE + CHUNK;
constexpr int FRAGMENT = 16;                            // rows, columns and k of a fragment
constexpr int WARP_M = 64;                              // rows of C that a warp makes
constexpr int WARP_N = 32;                              // columns of C that a warp makes
constexpr int WARPS = TILE / WARP_M * (TILE / WARP_N);
constexpr int THREADS = WARPS * 32;

// Eight halves of a row; zeros where the matrix has none. WIDE where rows begin at multiples of 16 bytes.
template <bool WIDE>
__device__ uint4 load(const half* matrix, int rows, int columns, int row, int column) {
    uint4 eight = make_uint4(0, 0, 0, 0);
    if (row < rows && column < columns) {
        const half* first = matrix + static_cast<long long>(row) * columns + column;
        if (WIDE) {
            eight = *reinterpret_cast<const uint4*>(first);
        } else {
            half* to = reinterpret_cast<half*>(&eight);
#pragma unroll
            for (int i = 0; i < CHUNK; ++i) {
                if (column + i < columns) {
                    to[i] = first[i];
                }
            }
        }
    }
    return eight;
}

template <bool WIDE>
__global__ void __launch_bounds__(THREADS) multiply(const half* A, const half* B, half* C, int M, int N, int K) {
    using namespace nvcuda::wmma;
    __shared__ __align__(128) half tile_A[TILE * PITCH_A];
    __shared__ __align__(128) half tile_B[DEPTH * PITCH_B];
    __shared__ __align__(128) float patches[WARPS][FRAGMENT * FRAGMENT];

    const int first_row = blockIdx.y * TILE;
    const int first_column = blockIdx.x * TILE;
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const int warp_row = warp / (TILE / WARP_N) * WARP_M;
    const int warp_column = warp % (TILE / WARP_N) * WARP_N;

    fragment<accumulator, 16, 16, 16, float> sum[WARP_M / FRAGMENT][WARP_N / FRAGMENT];
    for (auto& row : sum) {
        for (auto& one : row) {
            fill_fragment(one, 0.0f);
        }
    }
    for (int start = 0; start < N; start += DEPTH) {
#pragma unroll
        for (int i = threadIdx.x; i < TILE * DEPTH / CHUNK; i += THREADS) {
            const int row = i / (DEPTH / CHUNK);
            const int k = i % (DEPTH / CHUNK) * CHUNK;
            *reinterpret_cast<uint4*>(tile_A + row * PITCH_A + k) = load<WIDE>(A, M, N, first_row + row, start + k);
        }
#pragma unroll
        for (int i = threadIdx.x; i < DEPTH * TILE / CHUNK; i += THREADS) {
            const int k = i / (TILE / CHUNK);
            const int column = i % (TILE / CHUNK) * CHUNK;
            *reinterpret_cast<uint4*>(tile_B + k * PITCH_B + column) =
                load<WIDE>(B, N, K, start + k, first_column + column);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k += FRAGMENT) {
            fragment<matrix_a, 16, 16, 16, half, row_major> a[WARP_M / FRAGMENT];
            fragment<matrix_b, 16, 16, 16, half, row_major> b[WARP_N / FRAGMENT];
#pragma unroll
            for (int i = 0; i < WARP_M / FRAGMENT; ++i) {
                load_matrix_sync(a[i], tile_A + (warp_row + i * FRAGMENT) * PITCH_A + k, PITCH_A);
            }
#pragma unroll
            for (int j = 0; j < WARP_N / FRAGMENT; ++j) {
                load_matrix_sync(b[j], tile_B + k * PITCH_B + warp_column + j * FRAGMENT, PITCH_B);
            }
#pragma unroll
            for (int i = 0; i < WARP_M / FRAGMENT; ++i) {
#pragma unroll
                for (int j = 0; j < WARP_N / FRAGMENT; ++j) {
                    mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
                }
            }
        }
        __syncthreads();
    }

    // Through a patch of shared memory, for only there it is known which element lies where.
    float* patch = patches[warp];
#pragma unroll
    for (int i = 0; i < WARP_M / FRAGMENT; ++i) {
#pragma unroll
        for (int j = 0; j < WARP_N / FRAGMENT; ++j) {
            store_matrix_sync(patch, sum[i][j], FRAGMENT, mem_row_major);
            __syncwarp();
            const int row = first_row + warp_row + i * FRAGMENT + lane / 2;
            const int column = first_column + warp_column + j * FRAGMENT + lane % 2 * CHUNK;
            half* to = C + static_cast<long long>(row) * K + column;
            const float* from = patch + lane * CHUNK;
            if (WIDE && row < M && column < K) {
                __align__(16) half eight[CHUNK];
#pragma unroll
                for (int l = 0; l < CHUNK; ++l) {
                    eight[l] = __float2half(from[l]);
                }
                *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(eight);
            } else if (!WIDE && row < M) {
                for (int l = 0; l < CHUNK && column + l < K; ++l) {
                    to[l] = __float2half(from[l]);
                }
            }
            __syncwarp();
        }
    }
}

extern "C" void solve(const half* A, const half* B, half* C, int M, int N, int K) {
    const dim3 grid((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    if (N % CHUNK == 0 && K % CHUNK == 0) {
        multiply<true><<<grid, THREADS>>>(A, B, C, M, N, K);
    } else {
        multiply<false><<<grid, THREADS>>>(A, B, C, M, N, K);
    }
}
