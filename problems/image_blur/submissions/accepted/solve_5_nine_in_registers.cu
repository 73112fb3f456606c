// expect: accepted
//
// Image blur, step 5: squares of nine pixels go without shared memory, eight columns a thread.
//
// Added to step 4: with R = 1 a thread has all that it needs in ten bytes of each row. It adds up three neighbours of two
// pixels at a time, keeps the sums of two rows in registers and divides by nine with one multiplication. Where rows begin
// anywhere, bytes are cut out of whole words and results moved to whole words, for which a lane takes the last bytes of
// the one before; the first lane of a warp only computes those. Larger squares go as before.

#include <cuda_runtime.h>

constexpr int LANES = 32;
constexpr int WARPS = 4;
constexpr int EACH = 8;
constexpr int AHEAD = 4;
constexpr unsigned ALL = 0xffffffffu;

// Of `COUNT` rows, the sums of each of eight pixels and the two beside it, those of columns 0 and 4, 1 and 5, 2 and 6,
// 3 and 7 in a register each. 0 where there is no pixel.
template <bool WORDS, int COUNT>
__device__ __forceinline__ void fetch(unsigned (*sums)[4], const unsigned char* __restrict__ input, int row, int first,
                                      int H, int W) {
    unsigned ten[COUNT][3];
    const unsigned char* rows[COUNT];
    bool there[COUNT];
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        there[k] = row + k >= 0 && row + k < H;
        rows[k] = input + (there[k] ? (size_t)(row + k) * W : 0);
    }
    // Four words from anywhere on end within the row.
    if (first > 0 && first + 15 <= W) {
        unsigned words[COUNT][4];
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            const unsigned char* at = rows[k] + first - 1;
            const uint2* two = reinterpret_cast<const uint2*>(at + 1);
            const unsigned* word = reinterpret_cast<const unsigned*>((size_t)at & ~(size_t)3);
            const uint2 middle = WORDS ? *two : make_uint2(word[1], word[2]);
            words[k][0] = word[0];
            words[k][1] = middle.x;
            words[k][2] = middle.y;
            words[k][3] = word[3];
        }
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            const unsigned shift = WORDS ? 24 : 8 * ((unsigned)(size_t)(rows[k] + first - 1) & 3);
#pragma unroll
            for (int j = 0; j < 3; j++) {
                ten[k][j] = __funnelshift_r(words[k][j], words[k][j + 1], shift);
            }
        }
    } else {
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            ten[k][0] = ten[k][1] = ten[k][2] = 0;
#pragma unroll
            for (int j = 0; j < EACH + 2; j++) {
                const int column = first + j - 1;
                ten[k][j / 4] |= column >= 0 && column < W ? (unsigned)rows[k][column] << j % 4 * 8 : 0;
            }
        }
    }
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        unsigned pairs[6];
        const unsigned mixed[3] = {__byte_perm(ten[k][0], ten[k][1], 0x5140), __byte_perm(ten[k][0], ten[k][1], 0x7362),
                                   __byte_perm(ten[k][1], ten[k][2], 0x5140)};
#pragma unroll
        for (int j = 0; j < 3; j++) {
            pairs[j * 2] = there[k] ? __byte_perm(mixed[j], 0, 0x4140) : 0;
            pairs[j * 2 + 1] = there[k] ? __byte_perm(mixed[j], 0, 0x4342) : 0;
        }
#pragma unroll
        for (int j = 0; j < 4; j++) {
            sums[k][j] = pairs[j] + pairs[j + 1] + pairs[j + 2];
        }
    }
}

// Stores eight bytes of each lane, as far as they lie in the row; `left` are from the first of them on.
template <bool WORDS>
__device__ __forceinline__ void store(unsigned char* to, unsigned low, unsigned high, int first, int left) {
    if (WORDS) {
        if (left > 0) {
            *reinterpret_cast<uint2*>(to) = make_uint2(low, high);
        }
        return;
    }
    const unsigned before = __shfl_up_sync(ALL, high, 1);
    if (threadIdx.x == 0 || left <= 0) {
        return;
    }
    const int shift = (int)(size_t)to & 3;
    const bool whole = first > 0 && left >= EACH;
    if (whole) {
        unsigned* words = reinterpret_cast<unsigned*>(to - shift);
        words[0] = __funnelshift_l(before, low, 8 * shift);
        words[1] = __funnelshift_l(low, high, 8 * shift);
    }
    // The next lane takes the last bytes, if it has words to store.
    const int end = left >= 2 * EACH ? EACH - shift : min(left, EACH);
    for (int k = whole ? EACH - shift : 0; k < end; k++) {
        to[k] = (k < 4 ? low : high) >> k % 4 * 8;
    }
}

// The eight bytes of four pairs, in the order of their columns.
template <bool WORDS>
__device__ __forceinline__ void store_pairs(unsigned char* to, const unsigned (&pairs)[4], int first, int left) {
    const unsigned even = __byte_perm(pairs[0], pairs[1], 0x6240);
    const unsigned odd = __byte_perm(pairs[2], pairs[3], 0x6240);
    store<WORDS>(to, __byte_perm(even, odd, 0x5410), __byte_perm(even, odd, 0x7632), first, left);
}

// The mean in the third byte: 7282 / 65536 is a ninth, near enough for whole numbers up to 2299.
__device__ __forceinline__ unsigned ninth(unsigned sum) { return (sum + 4) * 7282; }

template <bool WORDS>
__global__ void __launch_bounds__(LANES* WARPS)
    blur_nine(const unsigned char* __restrict__ input, unsigned char* __restrict__ output, int H, int W, int height) {
    const int first = WORDS ? EACH * (int)(blockIdx.x * LANES + threadIdx.x)
                            : EACH * ((int)(blockIdx.x * (LANES - 1) + threadIdx.x) - 1);
    const int top = (blockIdx.y * WARPS + threadIdx.y) * height;
    const int bottom = min(top + height, H);
    if (top >= H) {
        return;
    }
    const bool inner = first > 0 && first + EACH < W;
    // Lanes outside of the image go along for the shuffles.
    unsigned sums[AHEAD + 2][4];
    fetch<WORDS, 2>(sums, input, top - 1, first, H, W);
    for (int row = top; row < bottom; row += AHEAD) {
        fetch<WORDS, AHEAD>(sums + 2, input, row + 1, first, H, W);
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            if (row + k >= bottom) {
                break;
            }
            unsigned means[4];
            const int down = min(row + k + 1, H - 1) - max(row + k - 1, 0) + 1;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const unsigned sum = sums[k][j] + sums[k + 1][j] + sums[k + 2][j];
                unsigned low, high;
                if (inner && down == 3) {
                    low = ninth(sum & 0xffff);
                    high = ninth(sum >> 16);
                } else {
                    const int column = first + j;
                    const int one = down * (min(column + 1, W - 1) - max(column - 1, 0) + 1);
                    const int two = down * (min(column + 5, W - 1) - max(column + 3, 0) + 1);
                    low = one > 0 ? ((sum & 0xffff) + one / 2) / one << 16 : 0;
                    high = two > 0 ? ((sum >> 16) + two / 2) / two << 16 : 0;
                }
                means[j] = __byte_perm(low, high, 0x7632);
            }
            store_pairs<WORDS>(output + (ptrdiff_t)(row + k) * W + first, means, first, W - first);
        }
#pragma unroll
        for (int j = 0; j < 4; j++) {
            sums[0][j] = sums[AHEAD][j];
            sums[1][j] = sums[AHEAD + 1][j];
        }
    }
}

// Squares of any size.
#define THREADS 128
#define COLUMNS (4 * THREADS)
#define HALO 32
#define WIDTH (COLUMNS - 2 * HALO)
#define HEIGHT 32

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
    if (R > 1) {
        const dim3 grid((W + WIDTH - 1) / WIDTH, (H + HEIGHT - 1) / HEIGHT);
        if (W % 4 == 0) {
            blur<true><<<grid, THREADS>>>(input, output, H, W, R);
        } else {
            blur<false><<<grid, THREADS>>>(input, output, H, W, R);
        }
        return;
    }
    const bool words = W % EACH == 0;
    const int lanes = (W + EACH - 1) / EACH;
    const int across = words ? (lanes + LANES - 1) / LANES : (lanes + LANES - 2) / (LANES - 1);
    // Where that makes for too few warps, eight rows each.
    const int height = (long long)H * across >= 16 * 4096 ? 16 : 8;
    const dim3 block(LANES, WARPS);
    const dim3 grid(across, (H + WARPS * height - 1) / (WARPS * height));
    if (words) {
        blur_nine<true><<<grid, block>>>(input, output, H, W, height);
    } else {
        blur_nine<false><<<grid, block>>>(input, output, H, W, height);
    }
}
