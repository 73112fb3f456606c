// expect: wrong_answer wrong_value
//
// Segmented scan in three launches whose second one joins 2,048 parts.
//
// Enough for two million elements; a segment that goes on behind them begins anew there.

#include <cuda_runtime.h>

#define BLOCK 128
#define EACH 8
#define TILE (BLOCK * EACH)
#define ALL 0xffffffffu

struct Part {
    int sum;   // from the last head on
    int head;  // whether there is one
};

__device__ Part join(Part left, Part right) {
    return {right.head ? right.sum : left.sum + right.sum, left.head | right.head};
}

// Joins the parts of the threads before this one, and in `all` those of the whole block.
template <int THREADS>
__device__ Part join_before(Part own, Part& all) {
    __shared__ Part warps[THREADS / 32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    for (int distance = 1; distance < 32; distance *= 2) {
        Part left = {__shfl_up_sync(ALL, own.sum, distance), __shfl_up_sync(ALL, own.head, distance)};
        if (lane >= distance) {
            own = join(left, own);
        }
    }
    if (lane == 31) {
        warps[warp] = own;
    }
    Part before = {__shfl_up_sync(ALL, own.sum, 1), __shfl_up_sync(ALL, own.head, 1)};
    if (lane == 0) {
        before = {0, 0};
    }
    __syncthreads();
    Part of_warps = {0, 0};
    all = {0, 0};
    for (int w = 0; w < THREADS / 32; w++) {
        if (w == warp) {
            of_warps = all;
        }
        all = join(all, warps[w]);
    }
    __syncthreads();
    return join(of_warps, before);
}

__device__ Part join_own(const int* input, const int* heads, int first, int N) {
    Part own = {0, 0};
    for (int i = first; i < min(first + EACH, N); i++) {
        own = join(own, {input[i], heads[i]});
    }
    return own;
}

__global__ void join_tiles(const int* input, const int* heads, Part* tiles, int N) {
    Part all;
    join_before<BLOCK>(join_own(input, heads, blockIdx.x * TILE + threadIdx.x * EACH, N), all);
    if (threadIdx.x == 0) {
        tiles[blockIdx.x] = all;
    }
}

__global__ void scan_tiles(Part* tiles, int count) {
    Part carry = {0, 0};
    for (int start = 0; start < min(count, 2048); start += 1024) {
        int i = start + threadIdx.x;
        Part all;
        Part before = join_before<1024>(i < count ? tiles[i] : Part{0, 0}, all);
        if (i < count) {
            tiles[i] = join(carry, before);
        }
        carry = join(carry, all);
    }
}

__global__ void scan(const int* input, const int* heads, const Part* tiles, int* output, int N) {
    int first = blockIdx.x * TILE + threadIdx.x * EACH;
    Part all;
    Part before = join_before<BLOCK>(join_own(input, heads, first, N), all);
    Part run = join(tiles[blockIdx.x], before);
    for (int i = first; i < min(first + EACH, N); i++) {
        run = join(run, {input[i], heads[i]});
        output[i] = run.sum;
    }
}

extern "C" void solve(const int* input, const int* heads, int* output, int N) {
    int count = (N + TILE - 1) / TILE;
    Part* tiles;
    cudaMalloc(&tiles, count * sizeof(Part));
    join_tiles<<<count, BLOCK>>>(input, heads, tiles, N);
    scan_tiles<<<1, 1024>>>(tiles, count);
    scan<<<count, BLOCK>>>(input, heads, tiles, output, N);
    cudaFree(tiles);
}
