// expect: accepted
//
// Prefix sum, step 5: each element is read once and written once, whatever the rows are like.
//
// Added to step 4: host code that chooses. Rows of up to 1024 elements get a warp each, which keeps the row in
// registers: no barrier, and all loads of a row are under way at once. Longer rows are cut into tiles of up to 12,288,
// each a block's, so that a few long rows fill the GPU as well. A tile publishes its sum, looks at the tiles before it
// in its row, 32 at a time, and goes on until one of them has published the sum of all up to there (decoupled look-
// back, Merrill and Garland, 2016). Tiles are numbered as they start: those to the left are at work or done, and
// waiting for them ends. A thread moves four elements at once; as rows begin anywhere, the ends of a row go one by
// one. Expect a third of the time on rows of 500,009.

#include <cuda_runtime.h>

#define BLOCK 256
#define WARPS (BLOCK / 32)
#define ALL 0xffffffffu
// Words from one tile's to the next: 128 bytes. Loads of one line come one after the other, and many look at a tile.
#define APART 16

typedef unsigned long long Word;

constexpr Word OWN = 1ull << 32;    // the tile's sum
constexpr Word TOTAL = 2ull << 32;  // that of the tile and all before it

// Elements at .. at + 3 of `row`, 0 for those outside of it; `row + at` is a multiple of 16 bytes.
__device__ __forceinline__ float4 load(const float* __restrict__ row, int at, int N) {
    if (at >= 0 && at + 3 < N) {
        return __ldcs(reinterpret_cast<const float4*>(row + at));
    }
    float four[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        four[k] = at + k >= 0 && at + k < N ? row[at + k] : 0.0f;
    }
    return make_float4(four[0], four[1], four[2], four[3]);
}

__device__ __forceinline__ void store(float* __restrict__ row, int at, int N, float4 four) {
    if (at >= 0 && at + 3 < N) {
        __stcs(reinterpret_cast<float4*>(row + at), four);
        return;
    }
    const float each[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (at + k >= 0 && at + k < N) {
            row[at + k] = each[k];
        }
    }
}

__device__ __forceinline__ float4 plus(float before, float4 x) {
    return make_float4(before + x.x, before + x.y, before + x.z, before + x.w);
}

// Turns pieces of 128 elements into their running sums, from one piece to the next; returns the sum of all of them.
template <int PIECES>
__device__ __forceinline__ float scan_fours(float4 (&fours)[PIECES]) {
    const int lane = threadIdx.x % 32;
    float carry = 0.0f;
#pragma unroll
    for (int r = 0; r < PIECES; r++) {
        float4& x = fours[r];
        x.y += x.x;
        x.z += x.y;
        x.w += x.z;
        float sum = x.w;
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const float left = __shfl_up_sync(ALL, sum, distance);
            sum += lane >= distance ? left : 0.0f;
        }
        const float left = __shfl_up_sync(ALL, sum, 1);
        x = plus(carry + (lane > 0 ? left : 0.0f), x);
        carry += __shfl_sync(ALL, sum, 31);
    }
    return carry;
}

// A warp for a row. PIECES times 128 elements hold the row and up to three that lie before it.
template <int PIECES>
__global__ void __launch_bounds__(BLOCK)
    scan_rows(const float* __restrict__ input, float* __restrict__ output, int M, int N) {
    const int row = blockIdx.x * WARPS + threadIdx.x / 32;
    if (row >= M) {
        return;
    }
    const size_t first = (size_t)row * N;
    const int start = threadIdx.x % 32 * 4 - (int)(first & 3);
    float4 fours[PIECES];
#pragma unroll
    for (int r = 0; r < PIECES; r++) {
        fours[r] = load(input + first, start + r * 128, N);
    }
    scan_fours(fours);
#pragma unroll
    for (int r = 0; r < PIECES; r++) {
        store(output + first, start + r * 128, N, fours[r]);
    }
}

// Publishes the sum of tile `tile` of a row and returns that of all tiles before it. A whole warp calls it.
__device__ float look_back(volatile Word* published, int tile, float own) {
    const int lane = threadIdx.x % 32;
    if (lane == 0) {
        published[tile * APART] = (tile == 0 ? TOTAL : OWN) | __float_as_uint(own);
    }
    float before = 0.0f;
    for (int nearest = tile - 1; nearest >= 0; nearest -= 32) {
        Word word = TOTAL;
        if (nearest >= lane) {
            do {
                word = published[(nearest - lane) * APART];
            } while (word < OWN);
        }
        const unsigned totals = __ballot_sync(ALL, word >= TOTAL);
        // Up to the first lane with a total.
        float value = totals == 0 || lane < __ffs(totals) ? __uint_as_float((unsigned)word) : 0.0f;
        for (int distance = 16; distance > 0; distance /= 2) {
            value += __shfl_xor_sync(ALL, value, distance);
        }
        before += value;
        if (totals) {
            break;
        }
    }
    if (lane == 0 && tile > 0) {
        published[tile * APART] = TOTAL | __float_as_uint(before + own);
    }
    return before;
}

// A block for a tile of PIECES times 1024 elements of a row. A row of one tile has nobody to wait for.
template <int PIECES>
__global__ void __launch_bounds__(BLOCK, PIECES > 4 ? 3 : 6)
    scan_tiles(const float* __restrict__ input, float* __restrict__ output, Word* published, unsigned* started, int N,
               int tiles) {
    __shared__ float warp_sums[WARPS];
    __shared__ float before_tile;
    __shared__ unsigned number;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    unsigned index = blockIdx.x;
    if (tiles > 1) {
        if (threadIdx.x == 0) {
            number = atomicAdd(started, 1u);
        }
        __syncthreads();
        index = number;
    }
    const unsigned row = index / tiles;
    const int tile = index % tiles;
    const size_t first = (size_t)row * N;
    const int start = (tile * WARPS + warp) * PIECES * 128 + lane * 4 - (int)(first & 3);

    float4 fours[PIECES];
#pragma unroll
    for (int r = 0; r < PIECES; r++) {
        fours[r] = load(input + first, start + r * 128, N);
    }
    const float of_warp = scan_fours(fours);
    if (lane == 0) {
        warp_sums[warp] = of_warp;
    }
    __syncthreads();
    float of_warps = 0.0f;
    float of_tile = 0.0f;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        of_warps += w < warp ? warp_sums[w] : 0.0f;
        of_tile += warp_sums[w];
    }
    float base = of_warps;
    if (tiles > 1) {
        if (warp == 0) {
            const float sum = look_back(published + (size_t)row * tiles * APART, tile, of_tile);
            if (lane == 0) {
                before_tile = sum;
            }
        }
        __syncthreads();
        base += before_tile;
    }
#pragma unroll
    for (int r = 0; r < PIECES; r++) {
        store(output + first, start + r * 128, N, plus(base, fours[r]));
    }
}

template <int PIECES>
void scan_by_tiles(const float* input, float* output, int M, int N, int wide) {
    constexpr int TILE = BLOCK * PIECES * 4;
    const int tiles = (wide + TILE - 1) / TILE;
    if (tiles == 1) {
        scan_tiles<PIECES><<<M, BLOCK>>>(input, output, nullptr, nullptr, N, tiles);
        return;
    }
    const size_t words = (size_t)M * tiles * APART + 1;
    Word* published = nullptr;
    cudaMalloc((void**)&published, words * sizeof(Word));
    cudaMemset(published, 0, words * sizeof(Word));
    scan_tiles<PIECES><<<(unsigned)(M * tiles), BLOCK>>>(
        input, output, published, reinterpret_cast<unsigned*>(published + words - 1), N, tiles);
    cudaFree(published);
}

extern "C" void solve(const float* input, float* output, int M, int N) {
    // Up to three elements of the row before lie in the first four.
    const int wide = N % 4 == 0 ? N : N + 3;
    const int blocks = (M + WARPS - 1) / WARPS;
    if (wide <= 128) {
        scan_rows<1><<<blocks, BLOCK>>>(input, output, M, N);
    } else if (wide <= 256) {
        scan_rows<2><<<blocks, BLOCK>>>(input, output, M, N);
    } else if (wide <= 512) {
        scan_rows<4><<<blocks, BLOCK>>>(input, output, M, N);
    } else if (wide <= 1024) {
        scan_rows<8><<<blocks, BLOCK>>>(input, output, M, N);
    } else if (wide <= 4096) {
        scan_by_tiles<4>(input, output, M, N, wide);
    } else {
        scan_by_tiles<12>(input, output, M, N, wide);
    }
}
