// expect: accepted
//
// Game of Life, step 4: eight cells a thread, down eight rows, whatever the width.
//
// Added to step 3: a row's sums are made once and serve three rows of results. Where rows begin anywhere, the bytes of a
// lane are cut out of four words by funnel shifts, and results are moved to whole words in the same way: a lane takes
// the last bytes of the one before. The first lane of a warp only computes what the second needs for that, so that no
// warp but those at the ends of a row ever stores a byte. All ten rows are asked for before the first is used. Grids that
// L2 holds have no long way to hide: where rows are whole 16 bytes, step 3's kernel is quicker there, and takes them.

#include <cuda_runtime.h>

constexpr int LANES = 32;
constexpr int WARPS = 4;
constexpr int EACH = 8;
constexpr int ROWS = 8;
constexpr int SIXTEEN = 16;
constexpr int IN_L2 = 1 << 24;
constexpr unsigned ALL = 0xffffffffu;
#define FOUR(byte) (0x01010101u * (byte))

// Of `COUNT` rows, the sums of each of eight cells and the two beside it, and in `own` the cells themselves.
template <bool WORDS, int COUNT>
__device__ __forceinline__ void fetch(unsigned (*sums)[2], unsigned (*own)[2], const unsigned char* __restrict__ cells,
                                      int row, int first, int H, int W) {
    // Ten bytes of each row, from the cell before the eight on.
    unsigned ten[COUNT][3];
    const unsigned char* rows[COUNT];
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        rows[k] = cells + (size_t)(row + k < 0 ? H - 1 : row + k < H ? row + k : 0) * W;
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
            // W more make a number that is not negative of all but the first lane's columns, which nobody stores.
            int column = max(first - 1 + W, 0) % W;
#pragma unroll
            for (int j = 0; j < EACH + 2; j++) {
                ten[k][j / 4] |= (unsigned)rows[k][column] << j % 4 * 8;
                column = column + 1 == W ? 0 : column + 1;
            }
        }
    }
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
#pragma unroll
        for (int j = 0; j < 2; j++) {
            own[k][j] = __funnelshift_r(ten[k][j], ten[k][j + 1], 8);
            sums[k][j] = ten[k][j] + own[k][j] + __funnelshift_r(ten[k][j], ten[k][j + 1], 16);
        }
    }
}

// In each byte: 1 if the cell lives next. `sum` counts the cell itself.
__device__ __forceinline__ unsigned next_of(unsigned sum, unsigned cell) {
    const unsigned differs = ((sum - cell) | cell) ^ FOUR(3);
    // Only from 0x80 - 0 a byte keeps its highest bit.
    return (FOUR(0x80) - differs) >> 7 & FOUR(1);
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

template <bool WORDS>
__global__ void __launch_bounds__(LANES* WARPS)
    life(const unsigned char* __restrict__ cells, unsigned char* __restrict__ next, int H, int W) {
    const int first = WORDS ? EACH * (int)(blockIdx.x * LANES + threadIdx.x)
                            : EACH * ((int)(blockIdx.x * (LANES - 1) + threadIdx.x) - 1);
    const int top = (blockIdx.y * WARPS + threadIdx.y) * ROWS;
    if (top >= H) {
        return;
    }
    // From the row before `top` on; lanes outside of the grid go along for the shuffles.
    unsigned sums[ROWS + 2][2], own[ROWS + 2][2];
    fetch<WORDS, ROWS + 2>(sums, own, cells, top - 1, first, H, W);
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        if (top + k < H) {
            const unsigned low = next_of(sums[k][0] + sums[k + 1][0] + sums[k + 2][0], own[k + 1][0]);
            const unsigned high = next_of(sums[k][1] + sums[k + 1][1] + sums[k + 2][1], own[k + 1][1]);
            store<WORDS>(next + (ptrdiff_t)(top + k) * W + first, low, high, first, W - first);
        }
    }
}

// The sums of each of sixteen cells and the two beside it, and in `own` the cells themselves.
__device__ __forceinline__ void add_row(const unsigned char* row, int column, int W, unsigned (&sums)[4],
                                        unsigned (&own)[4]) {
    const uint4 words = *reinterpret_cast<const uint4*>(row + column);
    own[0] = words.x;
    own[1] = words.y;
    own[2] = words.z;
    own[3] = words.w;
    const unsigned before = row[column == 0 ? W - 1 : column - 1];
    const unsigned behind = row[column + SIXTEEN == W ? 0 : column + SIXTEEN];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const unsigned left = k == 0 ? before : own[k - 1] >> 24;
        const unsigned right = k == 3 ? behind : own[k + 1] & 255;
        sums[k] += own[k] + (own[k] << 8 | left) + (own[k] >> 8 | right << 24);
    }
}

// Step 3's, of rows of whole 16 bytes.
__global__ void __launch_bounds__(LANES* ROWS)
    life_by_sixteen(const unsigned char* __restrict__ cells, unsigned char* __restrict__ next, int H, int W) {
    const int column = (blockIdx.x * LANES + threadIdx.x) * SIXTEEN;
    const int row = blockIdx.y * ROWS + threadIdx.y;
    if (row >= H || column >= W) {
        return;
    }
    unsigned sums[4] = {0, 0, 0, 0};
    unsigned own[4];
    add_row(cells + (row == 0 ? H - 1 : row - 1) * W, column, W, sums, own);
    add_row(cells + (row == H - 1 ? 0 : row + 1) * W, column, W, sums, own);
    add_row(cells + row * W, column, W, sums, own);
    *reinterpret_cast<uint4*>(next + row * W + column) =
        make_uint4(next_of(sums[0], own[0]), next_of(sums[1], own[1]), next_of(sums[2], own[2]),
                   next_of(sums[3], own[3]));
}

extern "C" void solve(const unsigned char* cells, unsigned char* next, int H, int W) {
    if (W % SIXTEEN == 0 && (long long)H * W <= IN_L2) {
        const dim3 blocks((W + LANES * SIXTEEN - 1) / (LANES * SIXTEEN), (H + ROWS - 1) / ROWS);
        life_by_sixteen<<<blocks, dim3(LANES, ROWS)>>>(cells, next, H, W);
        return;
    }
    const bool words = W % EACH == 0;
    const int lanes = (W + EACH - 1) / EACH;
    const int across = words ? (lanes + LANES - 1) / LANES : (lanes + LANES - 2) / (LANES - 1);
    const dim3 block(LANES, WARPS);
    const dim3 grid(across, (H + WARPS * ROWS - 1) / (WARPS * ROWS));
    if (words) {
        life<true><<<grid, block>>>(cells, next, H, W);
    } else {
        life<false><<<grid, block>>>(cells, next, H, W);
    }
}
