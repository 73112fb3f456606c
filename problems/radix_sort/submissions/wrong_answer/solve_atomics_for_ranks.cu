// expect: wrong_answer wrong_value
//
// Radix sort that hands out places by atomicAdd.
//
// Which of two pairs with the same digit comes first is then a matter of luck, and the next digit relies on it.

#include <cuda_runtime.h>

#define BLOCK 128
#define DIGITS 16
#define EACH 8
#define TILE (BLOCK * EACH)

__global__ void count(const unsigned int* keys, int* counts, int N, int shift) {
    __shared__ int own[DIGITS];
    if (threadIdx.x < DIGITS) {
        own[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < TILE; k += BLOCK) {
        int i = blockIdx.x * TILE + k;
        if (i < N) {
            atomicAdd(&own[keys[i] >> shift & 15], 1);
        }
    }
    __syncthreads();
    if (threadIdx.x < DIGITS) {
        counts[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
    }
}

// Each count becomes the sum of those before it. One block goes through them, 1024 at a time.
__global__ void scan(int* counts, int length) {
    __shared__ int sums[1024];
    int t = threadIdx.x;
    int before = 0;
    for (int start = 0; start < length; start += 1024) {
        int own = start + t < length ? counts[start + t] : 0;
        sums[t] = own;
        __syncthreads();
        for (int distance = 1; distance < 1024; distance *= 2) {
            int left = t >= distance ? sums[t - distance] : 0;
            __syncthreads();
            sums[t] += left;
            __syncthreads();
        }
        if (start + t < length) {
            counts[start + t] = before + sums[t] - own;
        }
        before += sums[1023];
        __syncthreads();
    }
}

__global__ void move(const unsigned int* keys, const int* values, unsigned int* moved_keys, int* moved_values,
                     const int* places, int N, int shift) {
    __shared__ int ranks[DIGITS];
    int t = threadIdx.x;
    int first = blockIdx.x * TILE + t * EACH;
    int end = min(first + EACH, N);

    if (t < DIGITS) {
        ranks[t] = 0;
    }
    __syncthreads();
    for (int i = first; i < end; i++) {
        int digit = keys[i] >> shift & 15;
        int place = places[digit * gridDim.x + blockIdx.x] + atomicAdd(&ranks[digit], 1);
        moved_keys[place] = keys[i];
        moved_values[place] = values[i];
    }
}

static void pass(const unsigned int* keys, const int* values, unsigned int* moved_keys, int* moved_values, int* counts,
                 int N, int shift) {
    int tiles = (N + TILE - 1) / TILE;
    count<<<tiles, BLOCK>>>(keys, counts, N, shift);
    scan<<<1, 1024>>>(counts, DIGITS * tiles);
    move<<<tiles, BLOCK>>>(keys, values, moved_keys, moved_values, counts, N, shift);
}

extern "C" void solve(const unsigned int* keys, const int* values, unsigned int* sorted_keys, int* sorted_values,
                      int N) {
    unsigned int* other_keys;
    int* other_values;
    cudaMalloc(&other_keys, N * sizeof(unsigned int));
    cudaMalloc(&other_values, N * sizeof(int));
    int* counts;
    cudaMalloc(&counts, DIGITS * ((N + TILE - 1) / TILE) * sizeof(int));
    for (int shift = 0; shift < 32; shift += 8) {
        pass(shift == 0 ? keys : sorted_keys, shift == 0 ? values : sorted_values, other_keys, other_values, counts, N,
             shift);
        pass(other_keys, other_values, sorted_keys, sorted_values, counts, N, shift + 4);
    }
    cudaFree(counts);
    cudaFree(other_keys);
    cudaFree(other_values);
}
