// expect: accepted
//
// 3 x 3 convolution with host code of its own: the matrix product on tensor cores, with three TF32 products for one.
//
// Added to the matrix product: a float is the sum of two TF32 numbers, a big one and what is left; three products of
// these, without the one of the two small ones, are as accurate as one in fp32. And the terms of a sum come in another
// order, place by place of the nine and within it channel by channel: a first launch turns the weights into that order,
// with zeros up to a multiple of 16 channels. Then the 16 terms of a step are 16 channels at one place, so that a thread
// asks once in a step whether its pixel is inside, and goes from plane to plane by an addition. Pixels and weights come
// by asynchronous copies while the step before is multiplied. Expect a third of the time of the matrix product.

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

__global__ void turn(const float* __restrict__ weights, float* __restrict__ turned, int C, int depth) {
    const int c = blockIdx.x * 32 + threadIdx.x;
    const int place = blockIdx.y;
    const size_t filter = blockIdx.z;
    if (c < depth) {
        turned[(filter * 9 + place) * depth + c] = c < C ? weights[(filter * C + c) * 9 + place] : 0.0f;
    }
}

// A block has 32 * DOWN filters x 32 * ACROSS pixels, a warp 16 * DOWN x 32.
template <int DOWN, int ACROSS>
__global__ void __launch_bounds__(64 * ACROSS, ACROSS == 2 ? 4 : 2)
    convolve(const float* __restrict__ input, const float* __restrict__ turned, float* __restrict__ output, int C, int F,
             int H, int W, int depth) {
    constexpr int THREADS = 64 * ACROSS;
    constexpr int FILTERS = 32 * DOWN;
    constexpr int PIXELS = 32 * ACROSS;
    // The pitches let the lanes of a fragment read from 32 different banks.
    __shared__ __align__(16) float of_weights[2][FILTERS][DEPTH + 4];
    __shared__ float of_pixels[2][DEPTH][PIXELS + 8];
    const int pixels = H * W;
    const int first_filter = blockIdx.y * FILTERS;
    const int first_pixel = blockIdx.x * PIXELS;
    const int warp = threadIdx.x / 32;
    const int group = threadIdx.x % 32 / 4;
    const int member = threadIdx.x % 4;
    const int y = warp % 2 * (FILTERS / 2);
    const int x = warp / 2 * 32;

    // A thread copies elements of one pixel, of every second channel.
    const int own_pixel = first_pixel + threadIdx.x % PIXELS;
    const int own_channel = threadIdx.x / PIXELS;
    const int row = own_pixel / W;
    const int column = own_pixel % W;
    const float* image = input + ((size_t)blockIdx.z * C + own_channel) * pixels + own_pixel;
    // Of the step that is fetched next: the place of the nine, and the first channel.
    int place = 0;
    int channel = 0;
    auto fetch = [&](int buffer) {
        const int r = place / 3 - 1;
        const int s = place % 3 - 1;
        const bool inside = own_pixel < pixels && row + r >= 0 && row + r < H && column + s >= 0 && column + s < W;
        const float* from = inside ? image + (size_t)channel * pixels + r * W + s : input;
        const size_t apart = inside ? 2 * (size_t)pixels : 0;
#pragma unroll
        for (int i = 0; i < DEPTH / 2; i++) {
            const int c = i * 2 + own_channel;
            const bool there = inside && channel + c < C;
            copy_one(&of_pixels[buffer][c][threadIdx.x % PIXELS], there ? from : input, there);
            from += apart;
        }
        constexpr int PIECES = FILTERS * DEPTH / 4;
#pragma unroll
        for (int i = 0; i < (PIECES + THREADS - 1) / THREADS; i++) {
            const int piece = i * THREADS + threadIdx.x;
            if (PIECES % THREADS == 0 || piece < PIECES) {
                const int f = piece / (DEPTH / 4);
                const int k = piece % (DEPTH / 4) * 4;
                const bool there = first_filter + f < F;
                const size_t at = there ? ((size_t)(first_filter + f) * 9 + place) * depth + channel + k : 0;
                copy_four(&of_weights[buffer][f][k], turned + at, there);
            }
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        channel += DEPTH;
        if (channel == depth) {
            channel = 0;
            place++;
        }
    };

    float sum[DOWN][4][4] = {};
    const int steps = 9 * depth / DEPTH;
    fetch(0);
    for (int step = 0; step < steps; step++) {
        const int buffer = step % 2;
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        // Also: everybody is done with the buffer that is filled next.
        __syncthreads();
        if (step + 1 < steps) {
            fetch(buffer ^ 1);
        }
#pragma unroll
        for (int k = 0; k < DEPTH; k += 8) {
            Split b[4][2];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                b[j][0] = split(of_pixels[buffer][k + member][x + j * 8 + group]);
                b[j][1] = split(of_pixels[buffer][k + member + 4][x + j * 8 + group]);
            }
#pragma unroll
            for (int i = 0; i < DOWN; i++) {
                const int f = y + i * 16 + group;
                const Split a0 = split(of_weights[buffer][f][k + member]);
                const Split a1 = split(of_weights[buffer][f + 8][k + member]);
                const Split a2 = split(of_weights[buffer][f][k + member + 4]);
                const Split a3 = split(of_weights[buffer][f + 8][k + member + 4]);
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

    float* result = output + ((size_t)blockIdx.z * F + first_filter) * pixels + first_pixel;
#pragma unroll
    for (int i = 0; i < DOWN; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++) {
#pragma unroll
            for (int c = 0; c < 4; c++) {
                const int f = y + i * 16 + group + c / 2 * 8;
                const int pixel = x + j * 8 + member * 2 + c % 2;
                if (first_filter + f < F && first_pixel + pixel < pixels) {
                    result[(size_t)f * pixels + pixel] = sum[i][j][c];
                }
            }
        }
    }
}

template <int DOWN, int ACROSS>
void launch(const float* input, const float* turned, float* output, int B, int C, int F, int H, int W, int depth) {
    const dim3 grid((H * W + 32 * ACROSS - 1) / (32 * ACROSS), (F + 32 * DOWN - 1) / (32 * DOWN), B);
    convolve<DOWN, ACROSS><<<grid, 64 * ACROSS>>>(input, turned, output, C, F, H, W, depth);
}

extern "C" void solve(const float* input, const float* weights, float* output, int B, int C, int F, int H, int W) {
    const int depth = (C + DEPTH - 1) / DEPTH * DEPTH;
    float* turned = nullptr;
    cudaMalloc((void**)&turned, (size_t)F * 9 * depth * sizeof(float));
    turn<<<dim3((depth + 31) / 32, 9, F), 32>>>(weights, turned, C, depth);
    // As few filters as hold all of them, so that few are computed that nobody wants.
    if (F <= 32) {
        launch<1, 2>(input, turned, output, B, C, F, H, W, depth);
    } else if (F <= 64) {
        launch<2, 2>(input, turned, output, B, C, F, H, W, depth);
    } else if (F <= 96) {
        launch<3, 2>(input, turned, output, B, C, F, H, W, depth);
    } else {
        launch<4, 4>(input, turned, output, B, C, F, H, W, depth);
    }
    cudaFree(turned);
}
