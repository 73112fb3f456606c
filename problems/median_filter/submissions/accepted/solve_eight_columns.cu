// expect: accepted
//
// Median filter with host code of its own: eight columns a thread, and what neighbours share is compared once.
//
// Added to two pixels at once: the pairs are columns four apart, so that a pixel's neighbours lie in the pairs beside its
// own, and nothing has to be moved between halves. Two rows of results share the two rows between them: these are sorted
// once, and the third put in for each. Two columns of results share the two columns between them in the same way. A
// thread sorts ten columns for eight results, not six for four. Results of rows that begin anywhere are moved to whole
// words, for which a lane takes the last bytes of the one before. The first lane of a warp only computes those.

#include <cuda_runtime.h>

constexpr int LANES = 32;
constexpr int WARPS = 4;
constexpr int EACH = 8;
constexpr int AHEAD = 4;
constexpr unsigned ALL = 0xffffffffu;

// Ten bytes of each of `COUNT` rows, from the pixel before a lane's eight on, as pairs of bytes 0 and 4, 1 and 5, 2 and 6,
// 3 and 7, 4 and 8, 5 and 9, each a number of 16 bits.
template <bool WORDS, int COUNT>
__device__ __forceinline__ void fetch(unsigned (*pairs)[6], const unsigned char* __restrict__ input, int row, int first,
                                      int H, int W) {
    unsigned ten[COUNT][3];
    const unsigned char* rows[COUNT];
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        rows[k] = input + (size_t)min(max(row + k, 0), H - 1) * W;
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
                ten[k][j / 4] |= (unsigned)rows[k][min(max(first + j - 1, 0), W - 1)] << j % 4 * 8;
            }
        }
    }
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        const unsigned mixed[3] = {__byte_perm(ten[k][0], ten[k][1], 0x5140), __byte_perm(ten[k][0], ten[k][1], 0x7362),
                                   __byte_perm(ten[k][1], ten[k][2], 0x5140)};
#pragma unroll
        for (int j = 0; j < 3; j++) {
            pairs[k][2 * j] = __byte_perm(mixed[j], 0, 0x4140);
            pairs[k][2 * j + 1] = __byte_perm(mixed[j], 0, 0x4342);
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

// Three rows of a pair of columns, sorted: `low` and `high` are the two that are known to be.
struct Sorted {
    unsigned low, middle, high;
};

__device__ __forceinline__ Sorted with(unsigned low, unsigned high, unsigned third) {
    const unsigned larger = __vmaxu2(low, third);
    return {__vminu2(low, third), __vminu2(larger, high), __vmaxu2(larger, high)};
}

// Of three columns, two of which are joined: the largest `low`, the smallest `high`, and the `middle` ones in order.
__device__ __forceinline__ unsigned median(unsigned low, unsigned lesser, unsigned larger, unsigned high, Sorted third) {
    const unsigned a = __vmaxu2(low, third.low);
    const unsigned b = __vmaxu2(lesser, __vminu2(larger, third.middle));
    const unsigned c = __vminu2(high, third.high);
    return __vmaxu2(__vminu2(a, b), __vminu2(__vmaxu2(a, b), c));
}

__device__ __forceinline__ void medians(unsigned (&found)[4], const Sorted (&columns)[6]) {
#pragma unroll
    for (int k = 0; k < 4; k += 2) {
        const Sorted one = columns[k + 1];
        const Sorted two = columns[k + 2];
        const unsigned low = __vmaxu2(one.low, two.low);
        const unsigned lesser = __vminu2(one.middle, two.middle);
        const unsigned larger = __vmaxu2(one.middle, two.middle);
        const unsigned high = __vminu2(one.high, two.high);
        found[k] = median(low, lesser, larger, high, columns[k]);
        found[k + 1] = median(low, lesser, larger, high, columns[k + 3]);
    }
}

template <bool WORDS>
__global__ void __launch_bounds__(LANES* WARPS)
    median_of_rows(const unsigned char* __restrict__ input, unsigned char* __restrict__ output, int H, int W, int height) {
    const int first = WORDS ? EACH * (int)(blockIdx.x * LANES + threadIdx.x)
                            : EACH * ((int)(blockIdx.x * (LANES - 1) + threadIdx.x) - 1);
    const int top = (blockIdx.y * WARPS + threadIdx.y) * height;
    const int bottom = min(top + height, H);
    if (top >= H) {
        return;
    }
    // Lanes outside of the image go along for the shuffles.
    unsigned pairs[AHEAD + 2][6];
    fetch<WORDS, 2>(pairs, input, top - 1, first, H, W);
    for (int row = top; row < bottom; row += AHEAD) {
        fetch<WORDS, AHEAD>(pairs + 2, input, row + 1, first, H, W);
#pragma unroll
        for (int k = 0; k < AHEAD; k += 2) {
            Sorted upper[6], lower[6];
#pragma unroll
            for (int j = 0; j < 6; j++) {
                const unsigned low = __vminu2(pairs[k + 1][j], pairs[k + 2][j]);
                const unsigned high = __vmaxu2(pairs[k + 1][j], pairs[k + 2][j]);
                upper[j] = with(low, high, pairs[k][j]);
                lower[j] = with(low, high, pairs[k + 3][j]);
            }
            unsigned found[4];
            unsigned char* to = output + (ptrdiff_t)(row + k) * W + first;
            if (row + k < bottom) {
                medians(found, upper);
                store_pairs<WORDS>(to, found, first, W - first);
            }
            if (row + k + 1 < bottom) {
                medians(found, lower);
                store_pairs<WORDS>(to + W, found, first, W - first);
            }
        }
#pragma unroll
        for (int j = 0; j < 6; j++) {
            pairs[0][j] = pairs[AHEAD][j];
            pairs[1][j] = pairs[AHEAD + 1][j];
        }
    }
}

extern "C" void solve(const unsigned char* input, unsigned char* output, int H, int W) {
    const bool words = W % EACH == 0;
    const int lanes = (W + EACH - 1) / EACH;
    const int across = words ? (lanes + LANES - 1) / LANES : (lanes + LANES - 2) / (LANES - 1);
    // Where that makes for too few warps, eight rows each.
    const int height = (long long)H * across >= 16 * 4096 ? 16 : 8;
    const dim3 block(LANES, WARPS);
    const dim3 grid(across, (H + WARPS * height - 1) / (WARPS * height));
    if (words) {
        median_of_rows<true><<<grid, block>>>(input, output, H, W, height);
    } else {
        median_of_rows<false><<<grid, block>>>(input, output, H, W, height);
    }
}
