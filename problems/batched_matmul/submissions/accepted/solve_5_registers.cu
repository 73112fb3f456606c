// expect: accepted
//
// Batched matrix multiplication, step 5: a piece of 8 x 4 elements for each thread.
//
// Added to step 3: the host launches 128 threads for 64 x 64 elements of C. For each k a thread reads three float4 from
// shared memory and does 32 multiplications, where step 3 reads two floats for one. The tile of A is stored turned
// round, so that a thread's eight rows lie together. The next tiles are on their way in registers while the block
// computes from these. Two thousand products of 64 x 64 are two thousand blocks.

#include <cuda_runtime.h>

#define SIDE 64
#define DEPTH 16
#define THREADS 128
#define EACH (SIDE * DEPTH / THREADS)

__global__ void __launch_bounds__(THREADS)
    product(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
    // Four more columns keep the turned stores of a warp in different banks, and rows at multiples of 16 bytes.
    __shared__ __align__(16) float tile_A[2][DEPTH][SIDE + 4];
    __shared__ __align__(16) float tile_B[2][DEPTH][SIDE];
    A += (size_t)blockIdx.z * M * N;
    B += (size_t)blockIdx.z * N * K;
    C += (size_t)blockIdx.z * M * K;
    const int top = blockIdx.y * SIDE;
    const int left = blockIdx.x * SIDE;
    const int thread = threadIdx.x;
    // A warp has 32 x 32 elements: four threads down, eight across.
    const int warp = thread / 32;
    const int lane = thread % 32;
    const int y = warp / 2 * 32 + lane / 8 * 8;
    const int x = warp % 2 * 32 + lane % 8 * 4;

    float next_A[EACH], next_B[EACH];
    auto fetch = [&](int first) {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const int place = i * THREADS + thread;
            const int row = top + place / DEPTH;
            const int k = first + place % DEPTH;
            next_A[i] = row < M && k < N ? A[(size_t)row * N + k] : 0.0f;
        }
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const int place = i * THREADS + thread;
            const int k = first + place / SIDE;
            const int column = left + place % SIDE;
            next_B[i] = k < N && column < K ? B[(size_t)k * K + column] : 0.0f;
        }
    };
    auto store = [&](int buffer) {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const int place = i * THREADS + thread;
            tile_A[buffer][place % DEPTH][place / DEPTH] = next_A[i];
            tile_B[buffer][place / SIDE][place % SIDE] = next_B[i];
        }
    };

    float sum[8][4] = {};
    fetch(0);
    store(0);
    __syncthreads();
    for (int first = 0, buffer = 0; first < N; first += DEPTH, buffer ^= 1) {
        const bool more = first + DEPTH < N;
        if (more) {
            fetch(first + DEPTH);
        }
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            const float4 a0 = *reinterpret_cast<const float4*>(&tile_A[buffer][k][y]);
            const float4 a1 = *reinterpret_cast<const float4*>(&tile_A[buffer][k][y + 4]);
            const float4 b = *reinterpret_cast<const float4*>(&tile_B[buffer][k][x]);
            const float a[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
#pragma unroll
            for (int i = 0; i < 8; i++) {
                sum[i][0] += a[i] * b.x;
                sum[i][1] += a[i] * b.y;
                sum[i][2] += a[i] * b.z;
                sum[i][3] += a[i] * b.w;
            }
        }
        if (more) {
            store(buffer ^ 1);
        }
        __syncthreads();
    }

    const bool whole = K % 4 == 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int row = top + y + i;
        const int column = left + x;
        if (row >= M || column >= K) {
            continue;
        }
        float* to = C + (size_t)row * K + column;
        if (whole) {
            *reinterpret_cast<float4*>(to) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                if (column + j < K) {
                    to[j] = sum[i][j];
                }
            }
        }
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int BATCH, int M, int N, int K) {
    const dim3 grid((K + SIDE - 1) / SIDE, (M + SIDE - 1) / SIDE, BATCH);
    product<<<grid, THREADS>>>(A, B, C, M, N, K);
}
