// expect: runtime_error misaligned
//
// Sobel filter by words of four pixels, whatever W is.
//
// Where W is no multiple of four, rows begin in the middle of a word.

#include <cuda_runtime.h>

constexpr int COLUMNS = 32;
constexpr int ROWS = 4;
constexpr int HEIGHT = 16;

// Of one row, for each of four columns: left + 2 * middle + right, and right - left.
struct Line {
    int smooth[4];
    int change[4];
};

template <bool WORDS>
__device__ __forceinline__ Line line_of(const unsigned char* __restrict__ row, int first, int W) {
    int pixels[6];
    if (WORDS && first + 4 <= W) {
        unsigned word = *reinterpret_cast<const unsigned*>(row + first);
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
    Line above = line_of<WORDS>(input + (size_t)max(top - 1, 0) * W, first, W);
    Line here = line_of<WORDS>(input + (size_t)top * W, first, W);
    int bottom = min(top + HEIGHT, H);
#pragma unroll 4
    for (int row = top; row < bottom; row++) {
        Line below = line_of<WORDS>(input + (size_t)min(row + 1, H - 1) * W, first, W);
        unsigned char* result = output + (size_t)row * W + first;
        unsigned word = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            int gx = above.change[k] + 2 * here.change[k] + below.change[k];
            int gy = below.smooth[k] - above.smooth[k];
            unsigned found = min(__float2int_rn(sqrtf((float)(gx * gx + gy * gy))), 255);
            if (WORDS && first + 4 <= W) {
                word |= found << 8 * k;
            } else if (first + k < W) {
                result[k] = found;
            }
        }
        if (WORDS && first + 4 <= W) {
            *reinterpret_cast<unsigned*>(result) = word;
        }
        above = here;
        here = below;
    }
}

extern "C" void solve(const unsigned char* input, unsigned char* output, int H, int W) {
    dim3 block(COLUMNS, ROWS);
    dim3 grid((W + 4 * COLUMNS - 1) / (4 * COLUMNS), (H + ROWS * HEIGHT - 1) / (ROWS * HEIGHT));
    if (W >= 4) {
        sobel<true><<<grid, block>>>(input, output, H, W);
    } else {
        sobel<false><<<grid, block>>>(input, output, H, W);
    }
}
