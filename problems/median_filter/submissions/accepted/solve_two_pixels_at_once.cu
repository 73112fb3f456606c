// expect: accepted
//
// Median filter with host code of its own: two pixels in a register, columns sorted once, down sixteen rows.
//
// Added to step 2: Hopper compares two numbers of 16 bits in one instruction, so that __vminu2 and __vmaxu2 do two columns
// for the price of one; the same on four bytes is put together from many. A thread has four columns and one more on each
// side. It sorts each of the six once, where all three pixels beside it want it sorted, and goes down its columns so that
// it reads each row once. Where W is no multiple of four, a funnel shift cuts four pixels out of the two words that hold
// them. Some 16 instructions a pixel: expect a third of the time of step 2.

#include <cuda_runtime.h>

constexpr int COLUMNS = 32;
constexpr int ROWS = 4;
constexpr int HEIGHT = 16;

__device__ __forceinline__ unsigned median_of(unsigned a, unsigned b, unsigned c) {
    return __vmaxu2(__vminu2(a, b), __vminu2(__vmaxu2(a, b), c));
}

// Six neighbouring pixels of a row, from `first` - 1 on, as three pairs of 16 bits each.
struct Six {
    unsigned pairs[3];
};

// `end` is where the image ends.
template <bool WORDS>
__device__ __forceinline__ Six six_of(const unsigned char* __restrict__ row, int first, int W, const unsigned char* end) {
    const unsigned left = row[max(first - 1, 0)];
    const unsigned right = row[min(first + 4, W - 1)];
    unsigned four = 0;
    if (WORDS) {
        four = *reinterpret_cast<const unsigned*>(row + first);
    } else if (first + 4 <= W && row + first + 8 <= end) {
        const unsigned shift = (unsigned)(size_t)(row + first) & 3;
        const unsigned* words = reinterpret_cast<const unsigned*>(row + first - shift);
        four = __funnelshift_r(words[0], shift > 0 ? words[1] : 0, 8 * shift);
    } else {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            four |= (unsigned)row[min(first + k, W - 1)] << 8 * k;
        }
    }
    return {{left | (four & 255) << 16, __byte_perm(four, 0, 0x4241), four >> 24 | right << 16}};
}

// Three rows of a pair of columns, sorted.
struct Sorted {
    unsigned low, middle, high;
};

__device__ __forceinline__ Sorted sorted(unsigned a, unsigned b, unsigned c) {
    const unsigned least = __vminu2(a, b);
    const unsigned most = __vmaxu2(a, b);
    const unsigned between = __vmaxu2(least, c);
    return {__vminu2(least, c), __vminu2(between, most), __vmaxu2(between, most)};
}

// The pair between two pairs: the second number of one, and the first of the next.
__device__ __forceinline__ unsigned between(unsigned a, unsigned b) { return __funnelshift_r(a, b, 16); }

// The medians of the two pixels in the middle of four columns.
__device__ __forceinline__ unsigned medians(Sorted left, Sorted right) {
    const unsigned low = __vmaxu2(__vmaxu2(left.low, right.low), between(left.low, right.low));
    const unsigned high = __vminu2(__vminu2(left.high, right.high), between(left.high, right.high));
    return median_of(low, median_of(left.middle, right.middle, between(left.middle, right.middle)), high);
}

template <bool WORDS>
__global__ void __launch_bounds__(COLUMNS * ROWS)
    median(const unsigned char* __restrict__ input, unsigned char* __restrict__ output, int H, int W) {
    const int first = 4 * (blockIdx.x * COLUMNS + threadIdx.x);
    const int top = (blockIdx.y * ROWS + threadIdx.y) * HEIGHT;
    if (first >= W || top >= H) {
        return;
    }
    const unsigned char* end = input + (size_t)H * W;
    Six above = six_of<WORDS>(input + (size_t)max(top - 1, 0) * W, first, W, end);
    Six here = six_of<WORDS>(input + (size_t)top * W, first, W, end);
    const int bottom = min(top + HEIGHT, H);
#pragma unroll 4
    for (int row = top; row < bottom; row++) {
        const Six below = six_of<WORDS>(input + (size_t)min(row + 1, H - 1) * W, first, W, end);
        Sorted columns[3];
#pragma unroll
        for (int k = 0; k < 3; k++) {
            columns[k] = sorted(above.pairs[k], here.pairs[k], below.pairs[k]);
        }
        // Bytes 0 and 2 of each.
        const unsigned found = __byte_perm(medians(columns[0], columns[1]), medians(columns[1], columns[2]), 0x6420);
        unsigned char* result = output + (size_t)row * W + first;
        if (WORDS) {
            *reinterpret_cast<unsigned*>(result) = found;
        } else {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                if (first + k < W) {
                    result[k] = found >> 8 * k;
                }
            }
        }
        above = here;
        here = below;
    }
}

extern "C" void solve(const unsigned char* input, unsigned char* output, int H, int W) {
    dim3 block(COLUMNS, ROWS);
    dim3 grid((W + 4 * COLUMNS - 1) / (4 * COLUMNS), (H + ROWS * HEIGHT - 1) / (ROWS * HEIGHT));
    if (W % 4 == 0) {
        median<true><<<grid, block>>>(input, output, H, W);
    } else {
        median<false><<<grid, block>>>(input, output, H, W);
    }
}
