// expect: wrong_answer wrong_value
//
// Prefix maximum of tiles that begins with the largest of its own tile.
//
// The scan of the tiles' largest elements includes the tile itself.

#include <cuda_runtime.h>

#define BLOCK 256
#define EACH 8
#define TILE (BLOCK * EACH)
#define ALL 0xffffffffu

// The largest number of the threads up to this one, and in `all` that of the whole block.
template <int THREADS>
__device__ int largest_up_to(int own, int& all) {
    __shared__ int warps[THREADS / 32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    for (int distance = 1; distance < 32; distance *= 2) {
        // The first lanes get their own number back.
        own = max(own, __shfl_up_sync(ALL, own, distance));
    }
    if (lane == 31) {
        warps[warp] = own;
    }
    __syncthreads();
    all = warps[0];
    for (int w = 1; w < THREADS / 32; w++) {
        own = w <= warp ? max(own, all) : own;
        all = max(all, warps[w]);
    }
    __syncthreads();
    return own;
}

__global__ void find_largest(const int* input, int* tiles, int N) {
    int own = input[blockIdx.x * TILE];
    for (int k = threadIdx.x; k < TILE; k += BLOCK) {
        int i = blockIdx.x * TILE + k;
        own = i < N ? max(own, input[i]) : own;
    }
    int all;
    largest_up_to<BLOCK>(own, all);
    if (threadIdx.x == 0) {
        tiles[blockIdx.x] = all;
    }
}

__global__ void scan_largest(int* tiles, int count) {
    int carry = tiles[0];
    for (int start = 0; start < count; start += 1024) {
        int i = start + threadIdx.x;
        int all;
        int own = largest_up_to<1024>(i < count ? tiles[i] : carry, all);
        if (i < count) {
            tiles[i] = max(carry, own);
        }
        carry = max(carry, all);
    }
}

__global__ void scan_tiles(const int* input, const int* tiles, int* output, int N) {
    int carry = tiles[blockIdx.x];
    for (int k = threadIdx.x; k < TILE; k += BLOCK) {
        int i = blockIdx.x * TILE + k;
        int all;
        int own = largest_up_to<BLOCK>(i < N ? input[i] : carry, all);
        if (i < N) {
            output[i] = max(carry, own);
        }
        carry = max(carry, all);
    }
}

extern "C" void solve(const int* input, int* output, int N) {
    int count = (N + TILE - 1) / TILE;
    int* tiles;
    cudaMalloc(&tiles, count * sizeof(int));
    find_largest<<<count, BLOCK>>>(input, tiles, N);
    scan_largest<<<1, 1024>>>(tiles, count);
    scan_tiles<<<count, BLOCK>>>(input, tiles, output, N);
    cudaFree(tiles);
}
