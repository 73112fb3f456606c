// expect: compile_error
//
// Stream compaction with the ballot of old GPUs.
//
// Since CUDA 9 it is called __ballot_sync, and is told which lanes take part.

#include <cuda_runtime.h>

#define BLOCK 256
#define EACH 8
#define TILE (BLOCK * EACH)
#define ALL 0xffffffffu

// The number of threads before this one that keep their element, and in `sum` that of the whole block.
__device__ int kept_before(bool kept, int& sum) {
    __shared__ int warp_counts[BLOCK / 32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    unsigned bits = __ballot(kept);
    if (lane == 0) {
        warp_counts[warp] = __popc(bits);
    }
    __syncthreads();
    int before = __popc(bits & ((1u << lane) - 1));
    sum = 0;
    for (int w = 0; w < BLOCK / 32; w++) {
        before += w < warp ? warp_counts[w] : 0;
        sum += warp_counts[w];
    }
    __syncthreads();
    return before;
}

__global__ void count_tiles(const float* input, int* counts, int N) {
    int kept = 0;
    for (int k = threadIdx.x; k < TILE; k += BLOCK) {
        int i = blockIdx.x * TILE + k;
        int sum;
        kept_before(i < N && input[i] > 0, sum);
        kept += sum;
    }
    if (threadIdx.x == 0) {
        counts[blockIdx.x] = kept;
    }
}

__global__ void scan_counts(int* counts, int tiles, int* count) {
    __shared__ int sums[1024];
    int t = threadIdx.x;
    int carry = 0;
    for (int start = 0; start < tiles; start += 1024) {
        int own = start + t < tiles ? counts[start + t] : 0;
        sums[t] = own;
        __syncthreads();
        for (int distance = 1; distance < 1024; distance *= 2) {
            int left = t >= distance ? sums[t - distance] : 0;
            __syncthreads();
            sums[t] += left;
            __syncthreads();
        }
        if (start + t < tiles) {
            counts[start + t] = carry + sums[t] - own;
        }
        carry += sums[1023];
        __syncthreads();
    }
    if (t == 0) {
        *count = carry;
    }
}

__global__ void move(const float* input, const int* counts, float* output, int N) {
    int carry = counts[blockIdx.x];
    for (int k = threadIdx.x; k < TILE; k += BLOCK) {
        int i = blockIdx.x * TILE + k;
        float x = i < N ? input[i] : 0.0f;
        int sum;
        int place = carry + kept_before(x > 0, sum);
        if (x > 0) {
            output[place] = x;
        }
        carry += sum;
    }
}

extern "C" void solve(const float* input, float* output, int* count, int N) {
    int tiles = (N + TILE - 1) / TILE;
    int* counts;
    cudaMalloc(&counts, tiles * sizeof(int));
    cudaMemset(output, 0, N * sizeof(float));
    count_tiles<<<tiles, BLOCK>>>(input, counts, N);
    scan_counts<<<1, 1024>>>(counts, tiles, count);
    move<<<tiles, BLOCK>>>(input, counts, output, N);
    cudaFree(counts);
}
