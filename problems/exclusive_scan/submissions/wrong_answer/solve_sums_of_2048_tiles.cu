// expect: wrong_answer wrong_value
//
// Exclusive scan in three launches whose second one scans 2,048 sums.
//
// Enough for four million elements; the sums of later tiles stay as they are.

#include <cuda_runtime.h>

#define BLOCK 256
#define EACH 8
#define TILE (BLOCK * EACH)
#define ALL 0xffffffffu

// The sum of the threads before this one, and in `sum` that of the whole block.
template <int THREADS>
__device__ int sum_before(int own, int& sum) {
    __shared__ int warp_sums[THREADS / 32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int scan = own;
    for (int distance = 1; distance < 32; distance *= 2) {
        int left = __shfl_up_sync(ALL, scan, distance);
        scan += lane >= distance ? left : 0;
    }
    if (lane == 31) {
        warp_sums[warp] = scan;
    }
    __syncthreads();
    int before = scan - own;
    sum = 0;
    for (int w = 0; w < THREADS / 32; w++) {
        before += w < warp ? warp_sums[w] : 0;
        sum += warp_sums[w];
    }
    __syncthreads();
    return before;
}

__global__ void add_up(const int* input, int* tile_sums, int N) {
    int own = 0;
    for (int k = threadIdx.x; k < TILE; k += BLOCK) {
        int i = blockIdx.x * TILE + k;
        own += i < N ? input[i] : 0;
    }
    int sum;
    sum_before<BLOCK>(own, sum);
    if (threadIdx.x == 0) {
        tile_sums[blockIdx.x] = sum;
    }
}

__global__ void scan_sums(int* tile_sums, int tiles) {
    int carry = 0;
    for (int start = 0; start < min(tiles, 2048); start += 1024) {
        int i = start + threadIdx.x;
        int own = i < tiles ? tile_sums[i] : 0;
        int sum;
        int before = sum_before<1024>(own, sum);
        if (i < tiles) {
            tile_sums[i] = carry + before;
        }
        carry += sum;
    }
}

__global__ void scan_tiles(const int* input, const int* tile_sums, int* output, int N) {
    int carry = tile_sums[blockIdx.x];
    for (int k = threadIdx.x; k < TILE; k += BLOCK) {
        int i = blockIdx.x * TILE + k;
        int sum;
        int before = sum_before<BLOCK>(i < N ? input[i] : 0, sum);
        if (i < N) {
            output[i] = carry + before;
        }
        carry += sum;
    }
}

extern "C" void solve(const int* input, int* output, int N) {
    int tiles = (N + TILE - 1) / TILE;
    int* tile_sums;
    cudaMalloc(&tile_sums, tiles * sizeof(int));
    add_up<<<tiles, BLOCK>>>(input, tile_sums, N);
    scan_sums<<<1, 1024>>>(tile_sums, tiles);
    scan_tiles<<<tiles, BLOCK>>>(input, tile_sums, output, N);
    cudaFree(tile_sums);
}
