// expect: accepted
//
// Image blur, step 4: sums of columns that run down the image, four pixels a thread.
//
// Added to step 3: a thread has a word of four columns and keeps their sums over 2R + 1 rows, two to a register. One row
// further, the new row is added and the oldest taken away: two reads of a word for four pixels, whatever R is. The
// block's threads exchange these sums in shared memory and slide along the row in the same way. Four rows are asked for
// before the first is needed. A multiplication by the reciprocal takes the place of each division: an error of 2^-23
// can't carry a mean of bytes across the middle between two numbers.

#include <cuda_runtime.h>

#define THREADS 128
#define COLUMNS (4 * THREADS)
#define HALO 32
#define WIDTH (COLUMNS - 2 * HALO)
#define HEIGHT 32
#define AHEAD 4

// The pixels of four columns, 0 where there are none.
template <bool WORDS>
__device__ __forceinline__ unsigned word_at(const unsigned char* __restrict__ input, int row, int column, int H, int W) {
    if (row < 0 || row >= H) {
        return 0;
    }
    const unsigned char* at = input + (ptrdiff_t)row * W + column;
    if (WORDS) {
        return column >= 0 && column < W ? *reinterpret_cast<const unsigned*>(at) : 0;
    }
    unsigned word = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (column + k >= 0 && column + k < W) {
            word |= (unsigned)at[k] << 8 * k;
        }
    }
    return word;
}

// Bytes 0 and 1, and bytes 2 and 3, as two numbers of 16 bits each.
__device__ __forceinline__ unsigned low_pair(unsigned word) { return __byte_perm(word, 0, 0x4140); }
__device__ __forceinline__ unsigned high_pair(unsigned word) { return __byte_perm(word, 0, 0x4342); }

template <bool WORDS>
__global__ void __launch_bounds__(THREADS)
    blur(const unsigned char* __restrict__ input, unsigned char* __restrict__ output, int H, int W, int R) {
    // Two rows of sums in turns: one barrier a row is enough.
    __shared__ __align__(8) unsigned short sums[2][COLUMNS];
    const int own = 4 * threadIdx.x;
    const int column = (int)blockIdx.x * WIDTH - HALO + own;
    const int top = blockIdx.y * HEIGHT;
    const int bottom = min(top + HEIGHT, H);
    const bool writes = own >= HALO && own < HALO + WIDTH && column < W;

    int across[4];
    float scale[4];
    int counted = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        across[k] = min(column + k + R, W - 1) - max(column + k - R, 0) + 1;
    }
    unsigned low = 0;
    unsigned high = 0;
    for (int row = max(top - R - 1, 0); row < top + R; row++) {
        const unsigned word = word_at<WORDS>(input, row, column, H, W);
        low += low_pair(word);
        high += high_pair(word);
    }
    for (int first = top; first < bottom; first += AHEAD) {
        unsigned fresh[AHEAD], gone[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            fresh[k] = word_at<WORDS>(input, first + k + R, column, H, W);
            gone[k] = word_at<WORDS>(input, first + k - R - 1, column, H, W);
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const int row = first + k;
            if (row >= bottom) {
                break;
            }
            low += low_pair(fresh[k]) - low_pair(gone[k]);
            high += high_pair(fresh[k]) - high_pair(gone[k]);
            unsigned short* line = sums[k % 2];
            *reinterpret_cast<uint2*>(line + own) = make_uint2(low, high);
            __syncthreads();
            if (!writes) {
                continue;
            }
            const int down = min(row + R, H - 1) - max(row - R, 0) + 1;
            if (down != counted) {
                counted = down;
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    scale[j] = 1.0f / (float)(down * max(across[j], 1));
                }
            }
            int sum = 0;
            for (int x = own - R; x <= own + R; x++) {
                sum += line[x];
            }
            unsigned word = 0;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const unsigned mean = __float2int_rn((float)sum * scale[j]);
                if (WORDS) {
                    word |= mean << 8 * j;
                } else if (column + j < W) {
                    output[(size_t)row * W + column + j] = mean;
                }
                if (j < 3) {
                    sum += line[own + j + 1 + R] - line[own + j - R];
                }
            }
            if (WORDS) {
                *reinterpret_cast<unsigned*>(output + (size_t)row * W + column) = word;
            }
        }
    }
}

extern "C" void solve(const unsigned char* input, unsigned char* output, int H, int W, int R) {
    dim3 grid((W + WIDTH - 1) / WIDTH, (H + HEIGHT - 1) / HEIGHT);
    if (W % 4 == 0) {
        blur<true><<<grid, THREADS>>>(input, output, H, W, R);
    } else {
        blur<false><<<grid, THREADS>>>(input, output, H, W, R);
    }
}
