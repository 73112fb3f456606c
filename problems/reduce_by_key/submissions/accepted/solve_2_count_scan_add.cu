// expect: accepted
//
// Reduction by key, step 2: a tile for each block, in three launches.
//
// Added to step 1: the whole GPU. One launch counts the runs that begin in each tile, one scans the counts, and one
// adds up. A thread goes through eight neighbouring elements, and adds to memory only where a run ends: long runs cost
// an eighth of the atomics.

#include <cuda_runtime.h>

#define BLOCK 256
#define EACH 8
#define TILE (BLOCK * EACH)

__device__ bool head(const int* keys, int i) { return i == 0 || keys[i] != keys[i - 1]; }

// The sum of the numbers of the threads before this one, and in `all` that of the whole block.
template <int THREADS>
__device__ int sum_before(int own, int& all) {
    __shared__ int sums[THREADS];
    int t = threadIdx.x;
    sums[t] = own;
    __syncthreads();
    for (int distance = 1; distance < THREADS; distance *= 2) {
        int left = t >= distance ? sums[t - distance] : 0;
        __syncthreads();
        sums[t] += left;
        __syncthreads();
    }
    int before = sums[t] - own;
    all = sums[THREADS - 1];
    __syncthreads();
    return before;
}

__device__ int count_heads(const int* keys, int first, int N) {
    int heads = 0;
    for (int i = first; i < min(first + EACH, N); i++) {
        heads += head(keys, i);
    }
    return heads;
}

__global__ void count_tiles(const int* keys, int* counts, int N) {
    int all;
    sum_before<BLOCK>(count_heads(keys, blockIdx.x * TILE + threadIdx.x * EACH, N), all);
    if (threadIdx.x == 0) {
        counts[blockIdx.x] = all;
    }
}

__global__ void scan_counts(int* counts, int tiles, int* count) {
    int carry = 0;
    for (int start = 0; start < tiles; start += 1024) {
        int i = start + threadIdx.x;
        int all;
        int before = sum_before<1024>(i < tiles ? counts[i] : 0, all);
        if (i < tiles) {
            counts[i] = carry + before;
        }
        carry += all;
    }
    if (threadIdx.x == 0) {
        *count = carry;
    }
}

__global__ void add_up(const int* keys, const int* values, int* run_keys, int* sums, const int* counts, int N) {
    int first = blockIdx.x * TILE + threadIdx.x * EACH;
    int all;
    int run = counts[blockIdx.x] + sum_before<BLOCK>(count_heads(keys, first, N), all) - 1;
    int sum = 0;
    for (int i = first; i < min(first + EACH, N); i++) {
        if (head(keys, i)) {
            if (i > first) {
                atomicAdd(&sums[run], sum);
            }
            run++;
            run_keys[run] = keys[i];
            sum = 0;
        }
        sum += values[i];
    }
    if (first < N) {
        atomicAdd(&sums[run], sum);
    }
}

extern "C" void solve(const int* keys, const int* values, int* run_keys, int* sums, int* count, int N) {
    int tiles = (N + TILE - 1) / TILE;
    int* counts;
    cudaMalloc(&counts, tiles * sizeof(int));
    cudaMemset(run_keys, 0, N * sizeof(int));
    cudaMemset(sums, 0, N * sizeof(int));
    count_tiles<<<tiles, BLOCK>>>(keys, counts, N);
    scan_counts<<<1, 1024>>>(counts, tiles, count);
    add_up<<<tiles, BLOCK>>>(keys, values, run_keys, sums, counts, N);
    cudaFree(counts);
}
