// expect: accepted
//
// Fourier transform of real numbers, step 4: sixteen numbers in each thread's registers, and long rows as a matrix.
//
// The transform of M complex numbers is that of the problem fft, step 3: four stages between two exchanges through
// shared memory, each pass written where the next one reads in order (Stockham), rows of more than 4096 numbers as a
// matrix in two launches (Bailey). Added: rows that fit into a tile are taken apart there, before they are written for the first
// time. Longer ones are taken apart in place by a launch of its own.

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
    int behind;  // numbers that are left free behind each matrix

    __device__ __forceinline__ size_t place(int vector, int i) const {
        size_t matrix = vector >> columns_log;
        int column = vector & ((1 << columns_log) - 1);
        return (matrix << (length_log + columns_log)) + matrix * behind + ((size_t)i << columns_log) + column;
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

// X[k] and X[M - k] of Z[k] and Z[M - k], where M is half the length of the row.
__device__ __forceinline__ void split(float2 z, float2 mirrored, int k, int M, float2& low, float2& high) {
    float2 even = make_float2(0.5f * (z.x + mirrored.x), 0.5f * (z.y - mirrored.y));
    float2 odd = make_float2(0.5f * (z.y + mirrored.y), 0.5f * (mirrored.x - z.x));
    float sine, cosine;
    sincospif(-(float)k / M, &sine, &cosine);
    float2 turned = make_float2(odd.x * cosine - odd.y * sine, odd.x * sine + odd.y * cosine);
    low = make_float2(even.x + turned.x, even.y + turned.y);
    high = make_float2(even.x - turned.x, turned.y - even.y);
}

// Transforms `vectors` vectors of 16 to 4096 numbers. Columns are turned for the second half of a longer transform;
// vectors that are `whole` rows are taken apart, and written to rows of a number more.
__global__ void __launch_bounds__(BLOCK, 4) pass(const float2* __restrict__ input, float2* __restrict__ output,
                                                 int vectors, Layout from, Layout to, bool whole) {
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
    if (whole) {
        __syncthreads();
        Spots spots(to, spot(to, share.v, share.j), EACH_LOG, apart_log, 0);
#pragma unroll
        for (int m = 0; m < EACH; m++) {
            *reinterpret_cast<float2*>(tile + spots.place[m]) = x[m];
        }
        __syncthreads();
        const float2* numbers = reinterpret_cast<const float2*>(tile);
        const int length = 1 << length_log;
        const int pairs = length / 2 + 1;
        const int rows = min(TILE >> length_log, vectors - first);
        for (int i = threadIdx.x; i < rows * pairs; i += BLOCK) {
            int v = i / pairs;
            int k = i - v * pairs;
            float2 low, high;
            split(numbers[spot(to, v, k)], numbers[spot(to, v, (length - k) & (length - 1))], k, length, low, high);
            float2* own = output + (size_t)(first + v) * (length + 1);
            own[k] = low;
            own[length - k] = high;
        }
        return;
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

// Rows of M numbers, 1 to 8: a thread takes one, and its transform as the sum that it is.
template <int M>
__global__ void short_rows(const float2* __restrict__ input, float2* __restrict__ output, int rows) {
    int row = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= rows) {
        return;
    }
    constexpr int APART = EACH / M;
    float2 x[EACH] = {};
#pragma unroll
    for (int i = 0; i < M; i++) {
        x[i * APART] = input[(size_t)row * M + i];
    }
    if constexpr (M > 1) {
        transform<M>(x);
    }
    float2* own = output + (size_t)row * (M + 1);
#pragma unroll
    for (int k = 0; k <= M / 2; k++) {
        float2 low, high;
        split(x[k * APART], x[(M - k) % M * APART], k, M, low, high);
        own[k] = low;
        own[M - k] = high;
    }
}

// Takes rows of M numbers apart, in place: they have room for one more.
__global__ void take_apart(float2* output, int M) {
    float2* own = output + (size_t)blockIdx.y * (M + 1);
    int k = blockIdx.x * BLOCK + threadIdx.x;
    if (k <= M / 2) {
        float2 low, high;
        split(own[k], own[k == 0 ? 0 : M - k], k, M, low, high);
        own[k] = low;
        own[M - k] = high;
    }
}

static int tiles(int vectors, int length_log) {
    int in_a_tile = TILE >> length_log;
    return (vectors + in_a_tile - 1) / in_a_tile;
}

extern "C" void solve(const float* input, float* output, int ROWS, int LOG) {
    const float2* numbers = reinterpret_cast<const float2*>(input);
    float2* result = reinterpret_cast<float2*>(output);
    const int half_log = LOG - 1;
    const int blocks = (ROWS + BLOCK - 1) / BLOCK;
    if (half_log == 0) {
        short_rows<1><<<blocks, BLOCK>>>(numbers, result, ROWS);
    } else if (half_log == 1) {
        short_rows<2><<<blocks, BLOCK>>>(numbers, result, ROWS);
    } else if (half_log == 2) {
        short_rows<4><<<blocks, BLOCK>>>(numbers, result, ROWS);
    } else if (half_log == 3) {
        short_rows<8><<<blocks, BLOCK>>>(numbers, result, ROWS);
    } else if (half_log <= TILE_LOG) {
        Layout rows = {half_log, 0, 0};
        pass<<<tiles(ROWS, half_log), BLOCK>>>(numbers, result, ROWS, rows, rows, true);
    } else {
        int height_log = half_log / 2;
        int width_log = half_log - height_log;
        float2* turned;
        cudaMalloc(&turned, ((size_t)ROWS << half_log) * sizeof(float2));
        Layout columns = {height_log, width_log, 0};
        int width = ROWS << width_log, height = ROWS << height_log;
        pass<<<tiles(width, height_log), BLOCK>>>(numbers, turned, width, columns, columns, false);
        Layout rows = {width_log, 0, 0};
        Layout as_columns = {width_log, height_log, 1};
        pass<<<tiles(height, width_log), BLOCK>>>(turned, result, height, rows, as_columns, false);
        int M = 1 << half_log;
        take_apart<<<dim3((M / 2 + BLOCK) / BLOCK, ROWS), BLOCK>>>(result, M);
        cudaFree(turned);
    }
}
