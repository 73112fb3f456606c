// expect: accepted
//
// Game of Life, step 3: sixteen cells a thread, four in a word.
//
// Added to step 2: loads and stores of 16 bytes, and arithmetic on four bytes at once. The three words of a row, one of
// them moved to either side, add up to at most 3 in each byte, those of three rows to 9: nothing carries. A cell lives
// next if (living | cell) is 3. The rows above and below are in the L1 cache, where the threads of the block next to
// this one have put them. Expect ten times less instructions. In rows whose length 16 does not divide, a thread goes
// from cell to cell instead, and keeps the sums of two columns.

#define COLUMNS 32
#define ROWS 8
#define EACH 16
#define FOUR(byte) (0x01010101u * (byte))

// The sums of each cell of a row and the two beside it, and in `own` the cells themselves.
__device__ __forceinline__ void add_row(const unsigned char* row, int column, int W, unsigned (&sums)[4],
                                        unsigned (&own)[4]) {
    const uint4 words = *reinterpret_cast<const uint4*>(row + column);
    own[0] = words.x;
    own[1] = words.y;
    own[2] = words.z;
    own[3] = words.w;
    const unsigned before = row[column == 0 ? W - 1 : column - 1];
    const unsigned behind = row[column + EACH == W ? 0 : column + EACH];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const unsigned left = k == 0 ? before : own[k - 1] >> 24;
        const unsigned right = k == 3 ? behind : own[k + 1] & 255;
        sums[k] += own[k] + (own[k] << 8 | left) + (own[k] >> 8 | right << 24);
    }
}

// In each byte: 1 if the cell lives next. `sum` counts the cell itself.
__device__ __forceinline__ unsigned next_of(unsigned sum, unsigned cell) {
    const unsigned differs = ((sum - cell) | cell) ^ FOUR(3);
    // Only from 0x80 - 0 a byte keeps its highest bit.
    return (FOUR(0x80) - differs) >> 7 & FOUR(1);
}

__global__ void __launch_bounds__(COLUMNS* ROWS)
    life_kernel(const unsigned char* __restrict__ cells, unsigned char* __restrict__ next, int H, int W) {
    const int column = (blockIdx.x * COLUMNS + threadIdx.x) * EACH;
    const int row = blockIdx.y * ROWS + threadIdx.y;
    if (row >= H || column >= W) {
        return;
    }
    const unsigned char* above = cells + (row == 0 ? H - 1 : row - 1) * W;
    const unsigned char* here = cells + row * W;
    const unsigned char* below = cells + (row == H - 1 ? 0 : row + 1) * W;

    if (W % EACH == 0) {
        unsigned sums[4] = {0, 0, 0, 0};
        unsigned own[4];
        add_row(above, column, W, sums, own);
        add_row(below, column, W, sums, own);
        add_row(here, column, W, sums, own);
        uint4 words;
        words.x = next_of(sums[0], own[0]);
        words.y = next_of(sums[1], own[1]);
        words.z = next_of(sums[2], own[2]);
        words.w = next_of(sums[3], own[3]);
        *reinterpret_cast<uint4*>(next + row * W + column) = words;
        return;
    }
    const int first = column == 0 ? W - 1 : column - 1;
    int left = above[first] + here[first] + below[first];
    int cell = here[column];
    int middle = above[column] + cell + below[column];
    for (int j = column; j < min(column + EACH, W); j++) {
        const int beside = j + 1 == W ? 0 : j + 1;
        const int following = here[beside];
        const int right = above[beside] + following + below[beside];
        next[row * W + j] = ((left + middle + right - cell) | cell) == 3;
        left = middle;
        middle = right;
        cell = following;
    }
}
