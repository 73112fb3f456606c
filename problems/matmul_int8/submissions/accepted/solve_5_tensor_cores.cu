// expect: accepted
//
// Quantised matrix multiplication, step 5: large tiles, fed by asynchronous copies.
//
// Added to step 4: host code. A block computes 128 x 128 elements of C, a warp 64 x 32 of them, so that a byte in shared
// memory is used by eight products and more. mma.sync wants both operands with neighbours along k together, and
// ldmatrix and cp.async want 16 bytes at multiples of 16: one launch turns B round and another one widens the rows of A
// where they have another length, with zeros behind. That moves each byte once, and the product has no edge along k
// left. Three stages of 64 bytes of k: one is multiplied while two are on their way. Chunks of 16 bytes change places by
// their row, so that the eight rows of an ldmatrix lie in different banks.

#include <cuda_runtime.h>

#define SIDE 128
#define DEPTH 64
#define STAGES 3
#define THREADS 256
#define TURN 64

// Where a chunk of 16 bytes of a row lies in a tile.
__device__ __forceinline__ int place_of(int row, int chunk) { return row * DEPTH + ((chunk ^ (row >> 1 & 3)) << 4); }

__global__ void widen(const signed char* __restrict__ from, signed char* __restrict__ to, int columns, int width) {
    const size_t row = blockIdx.y;
    const int column = blockIdx.x * THREADS + threadIdx.x;
    if (column < width) {
        to[row * width + column] = column < columns ? from[row * columns + column] : 0;
    }
}

// Row j of the result is column j of the matrix.
__global__ void __launch_bounds__(THREADS)
    turn(const signed char* __restrict__ from, signed char* __restrict__ to, int rows, int columns, int width) {
    __shared__ signed char tile[TURN][TURN + 4];
    const int x = threadIdx.x % TURN;
    for (int y = threadIdx.x / TURN; y < TURN; y += THREADS / TURN) {
        const int row = blockIdx.y * TURN + y;
        const int column = blockIdx.x * TURN + x;
        tile[y][x] = row < rows && column < columns ? from[(size_t)row * columns + column] : 0;
    }
    __syncthreads();
    for (int y = threadIdx.x / TURN; y < TURN; y += THREADS / TURN) {
        const int column = blockIdx.x * TURN + y;
        if (column < columns) {
            to[(size_t)column * width + blockIdx.y * TURN + x] = tile[x][y];
        }
    }
}

// Copies 128 rows of 64 bytes, two chunks a thread. Rows behind the last one are the last one again.
__device__ __forceinline__ void fetch(unsigned tile, const signed char* __restrict__ from, int first, int rows, int width) {
#pragma unroll
    for (int i = 0; i < SIDE * DEPTH / 16 / THREADS; i++) {
        const int piece = i * THREADS + threadIdx.x;
        const int row = piece / (DEPTH / 16);
        const int chunk = piece % (DEPTH / 16);
        const signed char* at = from + (size_t)min(first + row, rows - 1) * width + chunk * 16;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(tile + place_of(row, chunk)), "l"(at) : "memory");
    }
}

__device__ __forceinline__ void load_four(unsigned (&to)[4], unsigned at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at)
                 : "memory");
}

__device__ __forceinline__ void multiply(int (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// `a` is M rows and `b` K rows of `width` bytes, a multiple of DEPTH.
__global__ void __launch_bounds__(THREADS)
    product(const signed char* __restrict__ a, const signed char* __restrict__ b, const float* __restrict__ scale,
            signed char* __restrict__ C, int M, int K, int width) {
    __shared__ __align__(128) signed char tiles[STAGES][2][SIDE * DEPTH];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int top = blockIdx.y * SIDE;
    const int left = blockIdx.x * SIDE;
    const int warp_row = warp % 2 * 64;
    const int warp_column = warp / 2 * 32;
    const unsigned room = (unsigned)__cvta_generic_to_shared(tiles);
    const int steps = width / DEPTH;

    int sum[4][4][4] = {};
#pragma unroll
    for (int step = 0; step < STAGES - 1; step++) {
        if (step < steps) {
            fetch(room + step * 2 * SIDE * DEPTH, a + step * DEPTH, top, M, width);
            fetch(room + (step * 2 + 1) * SIDE * DEPTH, b + step * DEPTH, left, K, width);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int step = 0; step < steps; step++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        // Also: everybody is done with the stage that is filled next.
        __syncthreads();
        const int next = step + STAGES - 1;
        if (next < steps) {
            const unsigned to = room + next % STAGES * 2 * SIDE * DEPTH;
            fetch(to, a + (size_t)next * DEPTH, top, M, width);
            fetch(to + SIDE * DEPTH, b + (size_t)next * DEPTH, left, K, width);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");

        const unsigned tile_a = room + step % STAGES * 2 * SIDE * DEPTH;
        const unsigned tile_b = tile_a + SIDE * DEPTH;
#pragma unroll
        for (int k = 0; k < DEPTH / 32; k++) {
            unsigned from_a[4][4];
            unsigned from_b[2][4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                // Lanes 0 to 15 name the rows of the first 16 bytes, the others those of the next.
                const int row = warp_row + i * 16 + lane % 16;
                load_four(from_a[i], tile_a + place_of(row, 2 * k + lane / 16));
            }
#pragma unroll
            for (int j = 0; j < 2; j++) {
                // Two pieces of eight columns: 16 bytes of k, then the next 16, for each.
                const int row = warp_column + j * 16 + lane / 16 * 8 + lane % 8;
                load_four(from_b[j], tile_b + place_of(row, 2 * k + lane / 8 % 2));
            }
#pragma unroll
            for (int i = 0; i < 4; i++) {
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    multiply(sum[i][j], from_a[i], from_b[j / 2][j % 2 * 2], from_b[j / 2][j % 2 * 2 + 1]);
                }
            }
        }
    }

#pragma unroll
    for (int j = 0; j < 4; j++) {
#pragma unroll
        for (int c = 0; c < 2; c++) {
            const int column = left + warp_column + j * 8 + lane % 4 * 2 + c;
            if (column >= K) {
                continue;
            }
            const float factor = scale[column];
#pragma unroll
            for (int i = 0; i < 4; i++) {
#pragma unroll
                for (int half = 0; half < 2; half++) {
                    const int row = top + warp_row + i * 16 + half * 8 + lane / 4;
                    if (row < M) {
                        const int result = __float2int_rn(sum[i][j][half * 2 + c] * factor);
                        C[(size_t)row * K + column] = min(max(result, -128), 127);
                    }
                }
            }
        }
    }
}

extern "C" void solve(const signed char* A, const signed char* B, const float* scale, signed char* C, int M, int N,
                      int K) {
    const int width = (N + DEPTH - 1) / DEPTH * DEPTH;
    signed char* wide = nullptr;
    signed char* turned = nullptr;
    cudaMalloc((void**)&turned, (size_t)K * width);
    turn<<<dim3((K + TURN - 1) / TURN, width / TURN), THREADS>>>(B, turned, N, K, width);
    if (width != N) {
        cudaMalloc((void**)&wide, (size_t)M * width);
        widen<<<dim3((width + THREADS - 1) / THREADS, M), THREADS>>>(A, wide, N, width);
    }
    const dim3 grid((K + SIDE - 1) / SIDE, (M + SIDE - 1) / SIDE);
    product<<<grid, THREADS>>>(width != N ? wide : A, turned, scale, C, M, K, width);
    cudaFree(turned);
    cudaFree(wide);
}
