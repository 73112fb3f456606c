// expect: accepted
//
// Matrix multiplication, the ladder's step 7: two slabs in shared memory, filled by cp.async.
//
// Added to step 6: while a slab is multiplied, the next one is copied from global to shared memory by cp.async, past
// the registers and without a thread that waits for it; one barrier a slab is left. cp.async moves A element by
// element, for it is transposed on the way. Expected: a tenth to a fifth quicker than step 6.

#include <cuda_runtime.h>

constexpr int FOUR = 4;                                 // floats in a float4
constexpr int TILE = 128;                               // rows and columns of C that a block makes
constexpr int DEPTH = 16;                               // k of a slab
constexpr int EACH = 8;                                 // rows and columns of C that a thread makes
constexpr int SIDE = TILE / EACH;                       // of a block, in threads
constexpr int PITCH = TILE + FOUR;                      // of a row of the transposed tile of A: no bank conflicts
constexpr int THREADS = SIDE * SIDE;
constexpr int STRIDE = TILE / 2;                        // from a thread's first four rows or columns to its others
constexpr int STAGE = DEPTH * (PITCH + TILE);           // floats

// Copies BYTES to shared memory while the thread goes on; writes zeros where nothing is there to be copied.
template <int BYTES>
__device__ void copy(float* to, const float* from, bool there) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(from), "n"(BYTES),
                 "r"(there ? BYTES : 0)
                 : "memory");
}

// Begins to copy the slab at `start`. WIDTH is 4 where rows of B can be moved as float4, else 1.
template <int WIDTH>
__device__ void begin(float* stage, const float* A, const float* B, int M, int N, int K, int first_row,
                      int first_column, int start) {
    // Eight lanes read 32 bytes of a row of A; four rows make a warp, which writes to 32 banks.
    const int k_A = threadIdx.x % 8 + threadIdx.x / 32 % (DEPTH / 8) * 8;
    const int row_A = threadIdx.x % 32 / 8 + threadIdx.x / 32 / (DEPTH / 8) * 4;
#pragma unroll
    for (int row = row_A; row < row_A + TILE; row += THREADS / DEPTH) {
        copy<4>(stage + k_A * PITCH + row, A + static_cast<long long>(first_row + row) * N + start + k_A,
                start + k_A < N && first_row + row < M);
    }
    const int k_B = threadIdx.x * WIDTH / TILE;
    const int column = threadIdx.x * WIDTH % TILE;
#pragma unroll
    for (int k = k_B; k < k_B + DEPTH; k += THREADS * WIDTH / TILE) {
        copy<WIDTH * 4>(stage + DEPTH * PITCH + k * TILE + column,
                        B + static_cast<long long>(start + k) * K + first_column + column,
                        start + k < N && first_column + column < K);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

__device__ void read(float* to, const float* from) {
    const float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

template <int WIDTH>
__global__ void __launch_bounds__(THREADS)
    multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ __align__(16) float tiles[2][STAGE];

    const int first_row = blockIdx.y * TILE;
    const int first_column = blockIdx.x * TILE;
    const int row = threadIdx.x / SIDE * FOUR;
    const int column = threadIdx.x % SIDE * FOUR;

    float sum[EACH][EACH] = {};
    begin<WIDTH>(tiles[0], A, B, M, N, K, first_row, first_column, 0);
    int now = 0;
    for (int start = 0; start < N; start += DEPTH) {
        // This slab has arrived, for all threads, and nobody reads the other one any more.
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        if (start + DEPTH < N) {
            begin<WIDTH>(tiles[1 - now], A, B, M, N, K, first_row, first_column, start + DEPTH);
        }
        const float* tile_A = tiles[now];
        const float* tile_B = tile_A + DEPTH * PITCH;
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            float a[EACH], b[EACH];
            read(a, tile_A + k * PITCH + row);
            read(a + FOUR, tile_A + k * PITCH + row + STRIDE);
            read(b, tile_B + k * TILE + column);
            read(b + FOUR, tile_B + k * TILE + column + STRIDE);
#pragma unroll
            for (int i = 0; i < EACH; ++i) {
#pragma unroll
                for (int j = 0; j < EACH; ++j) {
                    sum[i][j] += a[i] * b[j];
                }
            }
        }
        now = 1 - now;
    }

#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        const int to_row = first_row + row + i / FOUR * STRIDE + i % FOUR;
        if (to_row >= M) {
            continue;
        }
#pragma unroll
        for (int j = 0; j < EACH; j += WIDTH) {
            const int to_column = first_column + column + j / FOUR * STRIDE + j % FOUR;
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
    const dim3 grid((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    multiply<WIDTH><<<grid, THREADS>>>(A, B, C, M, N, K);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (K % FOUR == 0) {
        launch<FOUR>(A, B, C, M, N, K);
    } else {
        launch<1>(A, B, C, M, N, K);
    }
}
