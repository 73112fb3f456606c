// expect: accepted
//
// 2D convolution with host code of its own: eight rows and four columns a thread, each element in a register.
//
// Added to constant weights: the outputs of a thread are neighbours. Of a row of the tile it reads four elements at
// once and uses each for every one of its 32 sums that wants it; a float4 of weights, the same for all lanes, serves
// sixteen products. That is a twelfth of the reads. Weights of 3 x 3, 5 x 5 and 7 x 7 have code of their own, where
// they stay in registers and no loop is left: memory is the limit then. The tile comes by asynchronous copies, so that
// a thread asks for all of its share before it waits once. Results of rows that begin anywhere go through shared
// memory, so that a warp still stores 128 bytes that lie together.

#include <cuda_runtime.h>

constexpr int THREADS = 128;
constexpr int WIDTH = 128;
constexpr int OUTPUTS = 8;
constexpr int HEIGHT = THREADS / 32 * OUTPUTS;
constexpr int MOST = 31;

// Copies 16 bytes, or 4, without waiting; zeros where there is nothing.
template <int BYTES>
__device__ __forceinline__ void copy(float* to, const float* from, bool there) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from),
                 "n"(BYTES), "r"(there ? BYTES : 0)
                 : "memory");
}

// Fills `rows` rows of PITCH elements, from (first_row, first_column) of the image on; then all threads have them.
template <int PITCH>
__device__ __forceinline__ void fetch(float (*tile)[PITCH], const float* __restrict__ input, int rows, int first_row,
                                      int first_column, int H, int W) {
    if (W % 4 == 0 && first_column % 4 == 0) {
        for (int place = threadIdx.x; place < rows * (PITCH / 4); place += THREADS) {
            const int x = place % (PITCH / 4) * 4;
            const int row = first_row + place / (PITCH / 4);
            const int column = first_column + x;
            const bool there = row >= 0 && row < H && column >= 0 && column < W;
            copy<16>(&tile[place / (PITCH / 4)][x], input + (there ? row * W + column : 0), there);
        }
    } else {
        for (int y = threadIdx.x / 32; y < rows; y += THREADS / 32) {
            const int row = first_row + y;
#pragma unroll
            for (int x = threadIdx.x % 32; x < PITCH; x += 32) {
                const int column = first_column + x;
                const bool there = row >= 0 && row < H && column >= 0 && column < W;
                copy<4>(&tile[y][x], input + (there ? row * W + column : 0), there);
            }
        }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
}

template <int PITCH>
__device__ __forceinline__ void store(float (*tile)[PITCH], const float (&sums)[OUTPUTS][4], float* __restrict__ output,
                                      int first_row, int first_column, int H, int W) {
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const int top = warp * OUTPUTS;
    const bool fours = W % 4 == 0;
    // Everybody has read the tile: a warp now puts its own rows there.
    if (!fours) {
        __syncthreads();
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++) {
        const float4 four = make_float4(sums[o][0], sums[o][1], sums[o][2], sums[o][3]);
        const int row = first_row + top + o;
        if (!fours) {
            *reinterpret_cast<float4*>(&tile[top + o][lane * 4]) = four;
        } else if (row < H && first_column + lane * 4 < W) {
            *reinterpret_cast<float4*>(output + row * W + first_column + lane * 4) = four;
        }
    }
    if (fours) {
        return;
    }
    __syncwarp();
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++) {
#pragma unroll
        for (int x = lane; x < WIDTH; x += 32) {
            if (first_row + top + o < H && first_column + x < W) {
                output[(first_row + top + o) * W + first_column + x] = tile[top + o][x];
            }
        }
    }
}

template <int SIDE>
__global__ void __launch_bounds__(THREADS)
    convolve_small(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output, int H,
                   int W) {
    constexpr int MARGIN = 4;
    __shared__ __align__(16) float tile[HEIGHT + SIDE - 1][WIDTH + 2 * MARGIN];
    const int first_row = blockIdx.y * HEIGHT;
    const int first_column = blockIdx.x * WIDTH;
    float own[SIDE][SIDE];
#pragma unroll
    for (int k = 0; k < SIDE * SIDE; k++) {
        own[k / SIDE][k % SIDE] = weights[k];
    }
    fetch(tile, input, HEIGHT + SIDE - 1, first_row - SIDE / 2, first_column - MARGIN, H, W);

    const int top = threadIdx.x / 32 * OUTPUTS;
    const int left = threadIdx.x % 32 * 4;
    float sums[OUTPUTS][4] = {};
#pragma unroll
    for (int r = 0; r < OUTPUTS + SIDE - 1; r++) {
        float line[12];
#pragma unroll
        for (int k = 0; k < 3; k++) {
            const float4 part = *reinterpret_cast<const float4*>(&tile[top + r][left + 4 * k]);
            line[4 * k] = part.x;
            line[4 * k + 1] = part.y;
            line[4 * k + 2] = part.z;
            line[4 * k + 3] = part.w;
        }
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++) {
            if (r - o >= 0 && r - o < SIDE) {
#pragma unroll
                for (int s = 0; s < SIDE; s++) {
#pragma unroll
                    for (int c = 0; c < 4; c++) {
                        sums[o][c] += own[r - o][s] * line[MARGIN - SIDE / 2 + s + c];
                    }
                }
            }
        }
    }
    store(tile, sums, output, first_row, first_column, H, W);
}

// Adds row `r` of the thread's part of the tile to its sums; ALL says that each of them wants it.
template <bool ALL>
__device__ __forceinline__ void add_row(float (&sums)[OUTPUTS][4], const float* line, const float (*weights)[MOST + 1],
                                        int r, int R, int S) {
    float4 here = *reinterpret_cast<const float4*>(line);
    for (int s = 0; s < S; s += 4) {
        const float4 next = *reinterpret_cast<const float4*>(line + s + 4);
        const float part[8] = {here.x, here.y, here.z, here.w, next.x, next.y, next.z, next.w};
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++) {
            if (ALL || (r - o >= 0 && r - o < R)) {
                const float4 four = *reinterpret_cast<const float4*>(&weights[r - o][s]);
#pragma unroll
                for (int c = 0; c < 4; c++) {
                    sums[o][c] += four.x * part[c];
                    sums[o][c] += four.y * part[c + 1];
                    sums[o][c] += four.z * part[c + 2];
                    sums[o][c] += four.w * part[c + 3];
                }
            }
        }
        here = next;
    }
}

__global__ void __launch_bounds__(THREADS)
    convolve(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output, int H, int W,
             int R, int S) {
    // Four columns more than the weights need: a row of them is filled up with zeros to a multiple of four.
    __shared__ __align__(16) float tile[HEIGHT + MOST - 1][WIDTH + MOST + 1];
    __shared__ __align__(16) float own[MOST][MOST + 1];
    const int first_row = blockIdx.y * HEIGHT;
    const int first_column = blockIdx.x * WIDTH;
    for (int k = threadIdx.x; k < R * (MOST + 1); k += THREADS) {
        const int r = k / (MOST + 1);
        const int s = k % (MOST + 1);
        own[r][s] = s < S ? weights[r * S + s] : 0.0f;
    }
    fetch(tile, input, HEIGHT + R - 1, first_row - R / 2, first_column - S / 2, H, W);

    const int top = threadIdx.x / 32 * OUTPUTS;
    const int left = threadIdx.x % 32 * 4;
    float sums[OUTPUTS][4] = {};
    int r = 0;
    for (; r < OUTPUTS - 1; r++) {
        add_row<false>(sums, &tile[top + r][left], own, r, R, S);
    }
    for (; r < R; r++) {
        add_row<true>(sums, &tile[top + r][left], own, r, R, S);
    }
    for (; r < R + OUTPUTS - 1; r++) {
        add_row<false>(sums, &tile[top + r][left], own, r, R, S);
    }
    store(tile, sums, output, first_row, first_column, H, W);
}

extern "C" void solve(const float* input, const float* weights, float* output, int H, int W, int R, int S) {
    const dim3 grid((W + WIDTH - 1) / WIDTH, (H + HEIGHT - 1) / HEIGHT);
    if (R == 3 && S == 3) {
        convolve_small<3><<<grid, THREADS>>>(input, weights, output, H, W);
    } else if (R == 5 && S == 5) {
        convolve_small<5><<<grid, THREADS>>>(input, weights, output, H, W);
    } else if (R == 7 && S == 7) {
        convolve_small<7><<<grid, THREADS>>>(input, weights, output, H, W);
    } else {
        convolve<<<grid, THREADS>>>(input, weights, output, H, W, R, S);
    }
}
