// expect: accepted
//
// Sobel filter with host code of its own: four columns a thread, down sixteen rows.
//
// Added to step 2: a thread reads a word of four pixels and one neighbour at each end for each row, and keeps the
// sums of the two rows before in registers: three reads for four results, and no barrier. A warp stores 128 bytes at
// once. Rows that begin anywhere, because W is no multiple of four, are read by two words that a funnel shift cuts. The
// root is the hardware's: it is off by less than 2^-22 of itself, and the root of a whole number below 2^16 is never
// nearer than 2^-19 to the middle between two whole numbers.

#include <cuda_runtime.h>

constexpr int COLUMNS = 32;
constexpr int ROWS = 4;
constexpr int HEIGHT = 16;

// Of one row, for each of four columns: left + 2 * middle + right, and right - left.
struct Line {
    int smooth[4];
    int change[4];
};

__device__ __forceinline__ float root(float square) {
    float result;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(result) : "f"(square));
    return result;
}

// Four pixels from anywhere on.
__device__ __forceinline__ unsigned four_from(const unsigned char* __restrict__ at) {
    const unsigned shift = (unsigned)(size_t)at & 3;
    const unsigned* word = reinterpret_cast<const unsigned*>(at - shift);
    return __funnelshift_r(word[0], shift > 0 ? word[1] : 0, 8 * shift);
}

// `end` is where the image ends.
template <bool WORDS>
__device__ __forceinline__ Line line_of(const unsigned char* __restrict__ row, int first, int W,
                                        const unsigned char* end) {
    int pixels[6];
    if (WORDS || (first + 4 <= W && row + first + 8 <= end)) {
        unsigned word = WORDS ? *reinterpret_cast<const unsigned*>(row + first) : four_from(row + first);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            pixels[k + 1] = word >> 8 * k & 255;
        }
        pixels[0] = row[max(first - 1, 0)];
        pixels[5] = row[min(first + 4, W - 1)];
    } else {
#pragma unroll
        for (int k = 0; k < 6; k++) {
            pixels[k] = row[min(max(first + k - 1, 0), W - 1)];
        }
    }
    Line line;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        line.smooth[k] = pixels[k] + 2 * pixels[k + 1] + pixels[k + 2];
        line.change[k] = pixels[k + 2] - pixels[k];
    }
    return line;
}

template <bool WORDS>
__global__ void __launch_bounds__(COLUMNS * ROWS)
    sobel(const unsigned char* __restrict__ input, unsigned char* __restrict__ output, int H, int W) {
    int first = 4 * (blockIdx.x * COLUMNS + threadIdx.x);
    int top = (blockIdx.y * ROWS + threadIdx.y) * HEIGHT;
    if (first >= W || top >= H) {
        return;
    }
    const unsigned char* end = input + (size_t)H * W;
    Line above = line_of<WORDS>(input + (size_t)max(top - 1, 0) * W, first, W, end);
    Line here = line_of<WORDS>(input + (size_t)top * W, first, W, end);
    int bottom = min(top + HEIGHT, H);
#pragma unroll 4
    for (int row = top; row < bottom; row++) {
        Line below = line_of<WORDS>(input + (size_t)min(row + 1, H - 1) * W, first, W, end);
        unsigned char* result = output + (size_t)row * W + first;
        unsigned word = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            int gx = above.change[k] + 2 * here.change[k] + below.change[k];
            int gy = below.smooth[k] - above.smooth[k];
            unsigned found = min(__float2int_rn(root((float)(gx * gx + gy * gy))), 255);
            if (WORDS) {
                word |= found << 8 * k;
            } else if (first + k < W) {
                result[k] = found;
            }
        }
        if (WORDS) {
            *reinterpret_cast<unsigned*>(result) = word;
        }
        above = here;
        here = below;
    }
}

extern "C" void solve(const unsigned char* input, unsigned char* output, int H, int W) {
    dim3 block(COLUMNS, ROWS);
    dim3 grid((W + 4 * COLUMNS - 1) / (4 * COLUMNS), (H + ROWS * HEIGHT - 1) / (ROWS * HEIGHT));
    if (W % 4 == 0) {
        sobel<true><<<grid, block>>>(input, output, H, W);
    } else {
        sobel<false><<<grid, block>>>(input, output, H, W);
    }
}
