// expect: accepted
//
// Fourier transform, step 3: sixteen numbers in the registers of each thread, and long rows as a matrix.
//
// Added to step 2: a thread does four stages before it hands its numbers on, so that rows of 4096 go through shared
// memory twice instead of twelve times. Each pass writes its results where the next one reads them in order (Stockham),
// and no bits are reversed. Several short rows share a block.
//
// A row of more than 4096 numbers is a matrix of N1 x N2: a launch transforms its columns and turns each number by its
// row times its column, another one transforms its rows and writes them as columns (the four steps of Bailey). Blocks
// take neighbouring columns, so that whole sectors move. Rows up to 4096 move 16 bytes a number, longer ones 32: all
// that is needed, and twice that.

#include <cuda_runtime.h>

constexpr int EACH = 16;
constexpr int EACH_LOG = 4;
constexpr int BLOCK = 256;
constexpr int TILE_LOG = 12;
constexpr int TILE = 1 << TILE_LOG;
static_assert(EACH * BLOCK == TILE);

__device__ __forceinline__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ __forceinline__ float2 operator*(float2 a, float2 b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// exp(pi i half_turns)
__device__ __forceinline__ float2 factor_of(float half_turns) {
    float2 factor;
    sincospif(half_turns, &factor.y, &factor.x);
    return factor;
}

// A number turned by -k / 16 of a circle, 0 <= k < 8. Quarters and eighths need no or fewer products.
__device__ __forceinline__ float2 turned(float2 a, int k) {
    constexpr float EIGHTH = 0.70710678f;  // of a circle: both its cosine and its sine
    constexpr float COSINE = 0.92387953f;  // of a sixteenth
    constexpr float SINE = 0.38268343f;
    switch (k) {
        case 0:
            return a;
        case 1:
            return a * make_float2(COSINE, -SINE);
        case 2:
            return make_float2((a.x + a.y) * EIGHTH, (a.y - a.x) * EIGHTH);
        case 3:
            return a * make_float2(SINE, -COSINE);
        case 4:
            return make_float2(a.y, -a.x);
        case 5:
            return a * make_float2(-SINE, -COSINE);
        case 6:
            return make_float2((a.y - a.x) * EIGHTH, (a.x + a.y) * -EIGHTH);
        default:
            return a * make_float2(-COSINE, -SINE);
    }
}

// The four binary digits of r in reverse.
__device__ constexpr int reversed(int r) { return (r & 1) << 3 | (r & 2) << 1 | (r & 4) >> 1 | (r & 8) >> 3; }

// The stages that part transforms of 2 * HALF numbers, APART places from each other, into shorter ones.
template <int HALF, int APART>
__device__ __forceinline__ void part(float2 (&x)[EACH]) {
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        int r = i / APART;
        if ((r & HALF) == 0) {
            float2 low = x[i];
            float2 high = x[i + HALF * APART];
            x[i] = low + high;
            x[i + HALF * APART] = turned(low - high, r % HALF * (8 / HALF));
        }
    }
    if constexpr (HALF > 1) {
        part<HALF / 2, APART>(x);
    }
}

// Transforms of R numbers: those of the b'th are x[b], x[b + EACH / R], x[b + 2 * EACH / R] and so on.
template <int R>
__device__ __forceinline__ void transform(float2 (&x)[EACH]) {
    constexpr int APART = EACH / R;
    part<R / 2, APART>(x);
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        int other = i % APART + reversed(i / APART) / APART * APART;
        if (i < other) {
            float2 held = x[i];
            x[i] = x[other];
            x[other] = held;
        }
    }
}

// x[r] times factor^r
__device__ __forceinline__ void turn_by_powers(float2 (&x)[EACH], float2 factor) {
    float2 square = factor * factor;
    float2 low[4] = {make_float2(1.0f, 0.0f), factor, square, square * factor};
    float2 fourth = square * square;
    float2 high = fourth;
#pragma unroll
    for (int b = 1; b < 4; b++) {
        x[b] = x[b] * low[b];
    }
#pragma unroll
    for (int a = 4; a < EACH; a += 4) {
        x[a] = x[a] * high;
#pragma unroll
        for (int b = 1; b < 4; b++) {
            x[a + b] = x[a + b] * (high * low[b]);
        }
        high = high * fourth;
    }
}

// Vectors of 2^length_log numbers lie side by side, 2^columns_log of them as the columns of a matrix: with 0, each is a
// row of its own.
struct Layout {
    int length_log;
    int columns_log;

    __device__ __forceinline__ size_t place(int vector, int i) const {
        size_t matrix = vector >> columns_log;
        int column = vector & ((1 << columns_log) - 1);
        return (matrix << (length_log + columns_log)) + ((size_t)i << columns_log) + column;
    }
};

// What a thread works on: every (length / 16)th number, from the j'th on, of the v'th vector of its tile. Neighbouring
// threads take what lies side by side in memory.
struct Share {
    int v;
    int j;

    __device__ __forceinline__ Share(Layout layout) {
        int own_log = layout.columns_log == 0 ? layout.length_log - EACH_LOG : TILE_LOG - layout.length_log;
        int slow = threadIdx.x >> own_log;
        int fast = threadIdx.x & ((1 << own_log) - 1);
        v = layout.columns_log == 0 ? slow : fast;
        j = layout.columns_log == 0 ? fast : slow;
    }
};

// The place of a number in shared memory. The exclusive or spreads every pattern of access below over all banks.
__device__ __forceinline__ int spot(Layout layout, int v, int i) {
    int place = layout.columns_log == 0 ? (v << layout.length_log) + i : (i << (TILE_LOG - layout.length_log)) + v;
    return place ^ ((place >> 4 ^ place >> 5 ^ place >> 8) & 15);
}

// The places of a thread's 16 numbers, in bytes. The digits of m and those of the first place don't overlap, and spot()
// is made of shifts and exclusive ors alone: so each place is an earlier one and the spot of one digit, by a single
// instruction.
struct Spots {
    int place[EACH];

    // Digit d of m is digit `low_log + d` of a number's index; from the `lower`th digit on, it is `high_log + d - lower`.
    __device__ __forceinline__ Spots(Layout layout, int first, int lower, int low_log, int high_log) {
        place[0] = first * sizeof(float2);
#pragma unroll
        for (int digit = 0; digit < EACH_LOG; digit++) {
            int shift = digit < lower ? low_log + digit : high_log + digit - lower;
            int other = spot(layout, 0, 1 << shift) * sizeof(float2);
#pragma unroll
            for (int m = 0; m < 1 << digit; m++) {
                place[m + (1 << digit)] = place[m] ^ other;
            }
        }
    }
};

// Results of a pass over R = 2^R_LOG numbers, after passes over 2^done_log numbers, to where the next pass expects them.
template <int R_LOG>
__device__ __forceinline__ void put(char* tile, const float2 (&x)[EACH], Layout layout, Share share, int done_log) {
    int k = share.j & ((1 << done_log) - 1);
    int first = spot(layout, share.v, ((share.j - k) << R_LOG) + k);
    Spots spots(layout, first, EACH_LOG - R_LOG, layout.length_log - EACH_LOG + R_LOG, done_log);
#pragma unroll
    for (int m = 0; m < EACH; m++) {
        *reinterpret_cast<float2*>(tile + spots.place[m]) = x[m];
    }
}

__device__ __forceinline__ void take(const char* tile, float2 (&x)[EACH], Layout layout, Share share) {
    Spots spots(layout, spot(layout, share.v, share.j), EACH_LOG, layout.length_log - EACH_LOG, 0);
#pragma unroll
    for (int m = 0; m < EACH; m++) {
        x[m] = *reinterpret_cast<const float2*>(tile + spots.place[m]);
    }
}

// Transforms `vectors` vectors of 16 to 4096 numbers. Columns are turned for the second half of a longer transform.
__global__ void __launch_bounds__(BLOCK, 4) pass(const float2* __restrict__ input, float2* __restrict__ output,
                                                 int vectors, Layout from, Layout to) {
    __shared__ __align__(16) char tile[TILE * sizeof(float2)];
    const int length_log = from.length_log;
    const int first = blockIdx.x << (TILE_LOG - length_log);
    const int apart_log = length_log - EACH_LOG;
    Share share(from);
    float2 x[EACH] = {};
    if (first + share.v < vectors) {
        const float2* own = input + from.place(first + share.v, share.j);
#pragma unroll
        for (int m = 0; m < EACH; m++) {
            x[m] = own[m << (apart_log + from.columns_log)];
        }
    }
    // The first pass makes what is left a number of full passes, and needs no factors.
    int done_log = (length_log - 1) % EACH_LOG + 1;
    switch (done_log) {
        case 1:
            transform<2>(x);
            put<1>(tile, x, to, share, 0);
            break;
        case 2:
            transform<4>(x);
            put<2>(tile, x, to, share, 0);
            break;
        case 3:
            transform<8>(x);
            put<3>(tile, x, to, share, 0);
            break;
        default:
            transform<16>(x);
            put<4>(tile, x, to, share, 0);
    }
    if (done_log < length_log) {
        share = Share(to);
    }
    while (done_log < length_log) {
        __syncthreads();
        take(tile, x, to, share);
        int k = share.j & ((1 << done_log) - 1);
        turn_by_powers(x, factor_of(-(float)k / (8 << done_log)));
        transform<16>(x);
        if (done_log + EACH_LOG < length_log) {
            __syncthreads();
            put<4>(tile, x, to, share, done_log);
        }
        done_log += EACH_LOG;
    }
    if (first + share.v >= vectors) {
        return;
    }
    if (from.columns_log > 0) {
        int column = (first + share.v) & ((1 << from.columns_log) - 1);
        float circle = 2.0f / (1 << (length_log + from.columns_log));
        float2 factor = factor_of(-(column * share.j * circle));
        float2 step = factor_of(-((column << apart_log) * circle));
#pragma unroll
        for (int m = 0; m < EACH; m++) {
            x[m] = x[m] * factor;
            factor = factor * step;
        }
    }
    float2* own = output + to.place(first + share.v, share.j);
#pragma unroll
    for (int m = 0; m < EACH; m++) {
        own[m << (apart_log + to.columns_log)] = x[m];
    }
}

// Rows of R numbers, 2 to 8: a thread takes 16 numbers.
template <int R>
__global__ void short_rows(const float2* __restrict__ input, float2* __restrict__ output, int rows) {
    constexpr int APART = EACH / R;
    size_t first = ((size_t)blockIdx.x * BLOCK + threadIdx.x) * APART;
    float2 x[EACH];
#pragma unroll
    for (int m = 0; m < EACH; m++) {
        size_t row = first + m % APART;
        x[m] = row < rows ? input[row * R + m / APART] : make_float2(0.0f, 0.0f);
    }
    transform<R>(x);
#pragma unroll
    for (int m = 0; m < EACH; m++) {
        size_t row = first + m % APART;
        if (row < rows) {
            output[row * R + m / APART] = x[m];
        }
    }
}

static int tiles(int vectors, int length_log) {
    int in_a_tile = TILE >> length_log;
    return (vectors + in_a_tile - 1) / in_a_tile;
}

extern "C" void solve(const float* input, float* output, int ROWS, int LOG) {
    const float2* numbers = reinterpret_cast<const float2*>(input);
    float2* result = reinterpret_cast<float2*>(output);
    if (LOG < EACH_LOG) {
        int blocks = tiles(ROWS, LOG);
        if (LOG == 1) {
            short_rows<2><<<blocks, BLOCK>>>(numbers, result, ROWS);
        } else if (LOG == 2) {
            short_rows<4><<<blocks, BLOCK>>>(numbers, result, ROWS);
        } else {
            short_rows<8><<<blocks, BLOCK>>>(numbers, result, ROWS);
        }
    } else if (LOG <= TILE_LOG) {
        Layout rows = {LOG, 0};
        pass<<<tiles(ROWS, LOG), BLOCK>>>(numbers, result, ROWS, rows, rows);
    } else {
        int height_log = LOG / 2;
        int width_log = LOG - height_log;
        float2* turned;
        cudaMalloc(&turned, ((size_t)ROWS << LOG) * sizeof(float2));
        Layout columns = {height_log, width_log};
        pass<<<tiles(ROWS << width_log, height_log), BLOCK>>>(numbers, turned, ROWS << width_log, columns, columns);
        Layout rows = {width_log, 0};
        Layout as_columns = {width_log, height_log};
        pass<<<tiles(ROWS << height_log, width_log), BLOCK>>>(turned, result, ROWS << height_log, rows, as_columns);
        cudaFree(turned);
    }
}
