// expect: accepted
//
// Depthwise convolution with host code of its own: four columns and eight rows a thread.
//
// Added to eight rows a thread: of each row a thread reads three float4 from shared memory, 12 elements for up to 196
// products with K = 7, where it read seven for 49. The tile comes by asynchronous copies, of 16 bytes where rows begin
// at multiples of that, so that a thread asks for all of its share before it waits once. Results of rows that begin
// anywhere go through shared memory, so that a warp still stores 128 bytes that lie together. Blocks of 64 columns
// serve images that would leave half of 128 idle. Expect a third of the time with K = 7.

#include <cuda_runtime.h>

constexpr int THREADS = 128;
constexpr int OUTPUTS = 8;

// Copies 16 bytes, or 4, without waiting; zeros where there is nothing.
template <int BYTES>
__device__ __forceinline__ void copy(float* to, const float* from, bool there) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from),
                 "n"(BYTES), "r"(there ? BYTES : 0)
                 : "memory");
}

// A warp has 32 / ACROSS times eight rows of 4 * ACROSS columns.
template <int SIDE, int ACROSS>
__global__ void __launch_bounds__(THREADS)
    convolve(const float* __restrict__ input, const float* __restrict__ weights, float* __restrict__ output, int C,
             int H, int W) {
    constexpr int WIDTH = 4 * ACROSS;
    constexpr int HEIGHT = THREADS / ACROSS * OUTPUTS;
    constexpr int MARGIN = 4;
    constexpr int CHUNKS = (WIDTH + 2 * MARGIN) / 4;
    __shared__ __align__(16) float tile[HEIGHT + SIDE - 1][WIDTH + 2 * MARGIN];
    const size_t plane = (size_t)blockIdx.z * H * W;
    const int first_row = blockIdx.y * HEIGHT;
    const int first_column = blockIdx.x * WIDTH;
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const bool fours = W % 4 == 0;
    if (fours) {
        for (int place = threadIdx.x; place < (HEIGHT + SIDE - 1) * CHUNKS; place += THREADS) {
            const int x = place % CHUNKS * 4;
            const int row = first_row + place / CHUNKS - SIDE / 2;
            const int column = first_column + x - MARGIN;
            const bool there = row >= 0 && row < H && column >= 0 && column < W;
            copy<16>(&tile[place / CHUNKS][x], input + (there ? plane + row * W + column : 0), there);
        }
    } else {
        for (int y = warp; y < HEIGHT + SIDE - 1; y += THREADS / 32) {
            const int row = first_row + y - SIDE / 2;
            for (int x = lane; x < WIDTH + 2 * MARGIN; x += 32) {
                const int column = first_column + x - MARGIN;
                const bool there = row >= 0 && row < H && column >= 0 && column < W;
                copy<4>(&tile[y][x], input + (there ? plane + row * W + column : 0), there);
            }
        }
    }
    float own[SIDE][SIDE];
    const float* given = weights + blockIdx.z % C * SIDE * SIDE;
#pragma unroll
    for (int k = 0; k < SIDE * SIDE; k++) {
        own[k / SIDE][k % SIDE] = given[k];
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();

    const int top = threadIdx.x / ACROSS * OUTPUTS;
    const int left = threadIdx.x % ACROSS * 4;
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
    float* result = output + plane;
    if (fours) {
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++) {
            const int row = first_row + top + o;
            if (row < H && first_column + left < W) {
                *reinterpret_cast<float4*>(result + (size_t)row * W + first_column + left) =
                    make_float4(sums[o][0], sums[o][1], sums[o][2], sums[o][3]);
            }
        }
        return;
    }
    // Everybody has read the tile: a warp now puts its own rows there.
    __syncthreads();
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++) {
        *reinterpret_cast<float4*>(&tile[top + o][left]) = make_float4(sums[o][0], sums[o][1], sums[o][2], sums[o][3]);
    }
    __syncwarp();
    constexpr int ROWS = HEIGHT / (THREADS / 32);
#pragma unroll 4
    for (int y = warp * ROWS; y < (warp + 1) * ROWS; y++) {
#pragma unroll
        for (int x = lane; x < WIDTH; x += 32) {
            if (first_row + y < H && first_column + x < W) {
                result[(size_t)(first_row + y) * W + first_column + x] = tile[y][x];
            }
        }
    }
}

template <int SIDE>
void launch(const float* input, const float* weights, float* output, int B, int C, int H, int W) {
    // Blocks of 64 columns where those stick out less than blocks of 128.
    if ((W + 63) / 64 % 2 == 1) {
        convolve<SIDE, 16><<<dim3((W + 63) / 64, (H + 63) / 64, B * C), THREADS>>>(input, weights, output, C, H, W);
    } else {
        convolve<SIDE, 32><<<dim3((W + 127) / 128, (H + 31) / 32, B * C), THREADS>>>(input, weights, output, C, H, W);
    }
}

extern "C" void solve(const float* input, const float* weights, float* output, int B, int C, int H, int W, int K) {
    switch (K) {
        case 1: launch<1>(input, weights, output, B, C, H, W); break;
        case 2: launch<2>(input, weights, output, B, C, H, W); break;
        case 3: launch<3>(input, weights, output, B, C, H, W); break;
        case 4: launch<4>(input, weights, output, B, C, H, W); break;
        case 5: launch<5>(input, weights, output, B, C, H, W); break;
        case 6: launch<6>(input, weights, output, B, C, H, W); break;
        default: launch<7>(input, weights, output, B, C, H, W);
    }
}
