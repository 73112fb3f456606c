// expect: runtime_error data_race
//
// Exclusive scan that publishes a flag and a sum in two arrays, with no fence between them.
//
// Whoever sees the flag may still read the sum as it was before.

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

__global__ void scan_in_turn(const int* input, int* output, int* totals, volatile int* done, int N) {
    __shared__ int carry;
    int tile = blockIdx.x;
    int own = 0;
    for (int k = threadIdx.x; k < TILE; k += BLOCK) {
        int i = tile * TILE + k;
        own += i < N ? input[i] : 0;
    }
    int of_tile;
    sum_before<BLOCK>(own, of_tile);
    if (threadIdx.x == 0) {
        carry = 0;
        if (tile > 0) {
            while (done[tile - 1] == 0) {
            }
            carry = totals[tile - 1];
        }
        totals[tile] = carry + of_tile;
        done[tile] = 1;
    }
    __syncthreads();
    int before_piece = carry;
    for (int k = threadIdx.x; k < TILE; k += BLOCK) {
        int i = tile * TILE + k;
        int sum;
        int before = sum_before<BLOCK>(i < N ? input[i] : 0, sum);
        if (i < N) {
            output[i] = before_piece + before;
        }
        before_piece += sum;
    }
}

extern "C" void solve(const int* input, int* output, int N) {
    int tiles = (N + TILE - 1) / TILE;
    int* totals;
    int* done;
    cudaMalloc(&totals, tiles * sizeof(int));
    cudaMalloc(&done, tiles * sizeof(int));
    cudaMemset(done, 0, tiles * sizeof(int));
    scan_in_turn<<<tiles, BLOCK>>>(input, output, totals, done, N);
    cudaFree(totals);
    cudaFree(done);
}
