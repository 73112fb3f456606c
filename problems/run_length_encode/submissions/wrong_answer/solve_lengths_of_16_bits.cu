// expect: wrong_answer wrong_value
//
// Run-length encoding whose lengths are cut to 16 bits at the end.
//
// One symbol may come a million times.

#include <cuda_runtime.h>

#define BLOCK 256
#define EACH 8
#define TILE (BLOCK * EACH)

__device__ bool head(const int* input, int i) { return i == 0 || input[i] != input[i - 1]; }

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

__device__ int count_heads(const int* input, int first, int N) {
    int heads = 0;
    for (int i = first; i < min(first + EACH, N); i++) {
        heads += head(input, i);
    }
    return heads;
}

__global__ void count_tiles(const int* input, int* counts, int N) {
    int all;
    sum_before<BLOCK>(count_heads(input, blockIdx.x * TILE + threadIdx.x * EACH, N), all);
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

__global__ void add_up(const int* input, int* symbols, int* lengths, const int* counts, int N) {
    int first = blockIdx.x * TILE + threadIdx.x * EACH;
    int all;
    int run = counts[blockIdx.x] + sum_before<BLOCK>(count_heads(input, first, N), all) - 1;
    int length = 0;
    for (int i = first; i < min(first + EACH, N); i++) {
        if (head(input, i)) {
            if (i > first) {
                atomicAdd(&lengths[run], length);
            }
            run++;
            symbols[run] = input[i];
            length = 0;
        }
        length += 1;
    }
    if (first < N) {
        atomicAdd(&lengths[run], length);
    }
}

__global__ void cut(int* lengths, int N) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < N) {
        lengths[i] = (unsigned short)lengths[i];
    }
}

extern "C" void solve(const int* input, int* symbols, int* lengths, int* count, int N) {
    int tiles = (N + TILE - 1) / TILE;
    int* counts;
    cudaMalloc(&counts, tiles * sizeof(int));
    cudaMemset(symbols, 0, N * sizeof(int));
    cudaMemset(lengths, 0, N * sizeof(int));
    count_tiles<<<tiles, BLOCK>>>(input, counts, N);
    scan_counts<<<1, 1024>>>(counts, tiles, count);
    add_up<<<tiles, BLOCK>>>(input, symbols, lengths, counts, N);
    cut<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(lengths, N);
    cudaFree(counts);
}
