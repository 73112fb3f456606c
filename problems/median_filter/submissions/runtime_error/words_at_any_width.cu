// expect: runtime_error misaligned
//
// Median filter by words of four pixels, whatever W is.
//
// Where W is no multiple of four, rows begin in the middle of a word.

#include <cuda_runtime.h>

constexpr int COLUMNS = 32;
constexpr int ROWS = 4;
constexpr int HEIGHT = 16;

__device__ __forceinline__ unsigned median_of(unsigned a, unsigned b, unsigned c) {
    return __vmaxu4(__vminu4(a, b), __vminu4(__vmaxu4(a, b), c));
}

// Six neighbouring pixels of a row: four, and one more on each side, from `first` - 1 on.
struct Six {
    unsigned four;
    unsigned left;
    unsigned right;

    // The words of the left and of the right neighbours of the four.
    __device__ __forceinline__ unsigned to_the_left() const {
        return four << 8 | left;
    }

    __device__ __forceinline__ unsigned to_the_right() const {
        return four >> 8 | right << 24;
    }
};

template <bool WORDS>
__device__ __forceinline__ Six six_of(const unsigned char* __restrict__ row, int first, int W) {
    Six six;
    six.left = row[max(first - 1, 0)];
    six.right = row[min(first + 4, W - 1)];
    if (WORDS) {
        six.four = *reinterpret_cast<const unsigned*>(row + first);
    } else {
        six.four = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            six.four |= (unsigned)row[min(first + k, W - 1)] << 8 * k;
        }
    }
    return six;
}

struct Sorted {
    unsigned low, middle, high;
};

__device__ __forceinline__ Sorted sorted(unsigned a, unsigned b, unsigned c) {
    return {__vminu4(a, __vminu4(b, c)), median_of(a, b, c), __vmaxu4(a, __vmaxu4(b, c))};
}

template <bool WORDS>
__global__ void __launch_bounds__(COLUMNS * ROWS)
    median(const unsigned char* __restrict__ input, unsigned char* __restrict__ output, int H, int W) {
    int first = 4 * (blockIdx.x * COLUMNS + threadIdx.x);
    int top = (blockIdx.y * ROWS + threadIdx.y) * HEIGHT;
    if (first >= W || top >= H) {
        return;
    }
    Six above = six_of<WORDS>(input + (size_t)max(top - 1, 0) * W, first, W);
    Six here = six_of<WORDS>(input + (size_t)top * W, first, W);
    int bottom = min(top + HEIGHT, H);
#pragma unroll 4
    for (int row = top; row < bottom; row++) {
        Six below = six_of<WORDS>(input + (size_t)min(row + 1, H - 1) * W, first, W);
        Sorted left = sorted(above.to_the_left(), here.to_the_left(), below.to_the_left());
        Sorted middle = sorted(above.four, here.four, below.four);
        Sorted right = sorted(above.to_the_right(), here.to_the_right(), below.to_the_right());
        unsigned found = median_of(__vmaxu4(left.low, __vmaxu4(middle.low, right.low)),
                                   median_of(left.middle, middle.middle, right.middle),
                                   __vminu4(left.high, __vminu4(middle.high, right.high)));
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
    if (W >= 4) {
        median<true><<<grid, block>>>(input, output, H, W);
    } else {
        median<false><<<grid, block>>>(input, output, H, W);
    }
}
