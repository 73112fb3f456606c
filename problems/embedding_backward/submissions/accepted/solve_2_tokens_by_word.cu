// expect: accepted
//
// Embedding backward, step 2: places sorted by their words, rows added in registers.
//
// Added to step 1: the words are counted, the counts scanned, and each place goes where its word's turn is. A block
// then takes 32 places and up to 512 columns, four a thread, and adds row after row in registers as long as the word
// stays the same. A word that lies inside of its block is stored; one that the neighbour has as well is added by
// atomics. So a row of the table is written once for every 32 places instead of once for each: what is left is reading
// upstream.

#include <cuda_runtime.h>

#define BLOCK 128
#define PLACES 32
#define SCAN 1024

__global__ void count_words(const int* __restrict__ tokens, int* __restrict__ counts, int N) {
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < N) {
        atomicAdd(&counts[tokens[n]], 1);
    }
}

// One block: turns counts into where each word's places begin.
__global__ void __launch_bounds__(SCAN) scan_counts(int* __restrict__ counts, int V) {
    __shared__ int warps[32];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    int before = 0;
    for (int start = 0; start < V; start += SCAN) {
        const int v = start + threadIdx.x;
        const int own = v < V ? counts[v] : 0;
        int sum = own;
        for (int distance = 1; distance < 32; distance *= 2) {
            const int left = __shfl_up_sync(0xffffffff, sum, distance);
            sum += lane >= distance ? left : 0;
        }
        if (lane == 31) {
            warps[warp] = sum;
        }
        __syncthreads();
        int total = warps[lane];
        for (int distance = 1; distance < 32; distance *= 2) {
            const int left = __shfl_up_sync(0xffffffff, total, distance);
            total += lane >= distance ? left : 0;
        }
        const int of_warps = __shfl_sync(0xffffffff, total, max(warp - 1, 0));
        if (v < V) {
            counts[v] = before + (warp > 0 ? of_warps : 0) + sum - own;
        }
        before += __shfl_sync(0xffffffff, total, 31);
        __syncthreads();
    }
}

__global__ void sort_places(const int* __restrict__ tokens, int* __restrict__ next, int* __restrict__ places, int N) {
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < N) {
        places[atomicAdd(&next[tokens[n]], 1)] = n;
    }
}

template <int COLUMNS>
__global__ void __launch_bounds__(BLOCK)
    add_rows(const int* __restrict__ tokens, const int* __restrict__ places, const float* __restrict__ upstream,
             float* __restrict__ gradient, int N, int D) {
    __shared__ int place[PLACES];
    __shared__ int word[PLACES + 2];  // with one neighbour on either side
    const int first = blockIdx.x * PLACES;
    const int count = min(PLACES, N - first);
    for (int k = threadIdx.x; k < count + 2; k += BLOCK) {
        const int p = first + k - 1;
        const int n = p >= 0 && p < N ? places[p] : -1;
        word[k] = n < 0 ? -1 : tokens[n];
        if (k >= 1 && k <= count) {
            place[k - 1] = n;
        }
    }
    __syncthreads();
    const int column = (blockIdx.y * BLOCK + threadIdx.x) * COLUMNS;
    if (column >= D) {
        return;
    }
    float sum[COLUMNS] = {};
    bool shared = word[0] == word[1];
#pragma unroll 4
    for (int k = 0; k < count; k++) {
        const float* row = upstream + (size_t)place[k] * D + column;
        if constexpr (COLUMNS == 4) {
            const float4 x = __ldcs(reinterpret_cast<const float4*>(row));
            sum[0] += x.x;
            sum[1] += x.y;
            sum[2] += x.z;
            sum[3] += x.w;
        } else {
            sum[0] += __ldcs(row);
        }
        const int here = word[k + 1];
        const bool last = k == count - 1;
        if (last || word[k + 2] != here) {
            shared = shared || word[k + 2] == here;
            float* to = gradient + (size_t)here * D + column;
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                if (shared) {
                    atomicAdd(to + c, sum[c]);
                } else {
                    to[c] = sum[c];
                }
                sum[c] = 0.0f;
            }
            shared = false;
        }
    }
}

extern "C" void solve(const int* tokens, const float* upstream, float* gradient, int N, int V, int D) {
    int* counts;
    int* places;
    cudaMalloc(&counts, V * sizeof(int));
    cudaMalloc(&places, N * sizeof(int));
    cudaMemset(counts, 0, V * sizeof(int));
    cudaMemset(gradient, 0, (size_t)V * D * sizeof(float));
    const int blocks = (N + 255) / 256;
    count_words<<<blocks, 256>>>(tokens, counts, N);
    scan_counts<<<1, SCAN>>>(counts, V);
    sort_places<<<blocks, 256>>>(tokens, counts, places, N);
    const int pieces = (N + PLACES - 1) / PLACES;
    if (D % 4 == 0) {
        const dim3 grid(pieces, (D / 4 + BLOCK - 1) / BLOCK);
        add_rows<4><<<grid, BLOCK>>>(tokens, places, upstream, gradient, N, D);
    } else {
        const dim3 grid(pieces, (D + BLOCK - 1) / BLOCK);
        add_rows<1><<<grid, BLOCK>>>(tokens, places, upstream, gradient, N, D);
    }
    cudaFree(places);
    cudaFree(counts);
}
