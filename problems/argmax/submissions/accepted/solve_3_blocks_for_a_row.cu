// expect: accepted
//
// Argmax, step 3: as many threads for a row as it needs.
//
// Added to step 2: the host chooses. A row of up to 2048 elements gets a warp, longer ones a block with step 2's tree,
// and where there are fewer rows than the GPU has room for, several blocks: they join their best pairs, packed into 64
// bits, by atomicMax, and a last launch takes the places out of the pairs. A single row of a million elements, which
// one block reads in 140 us, is then read by all of the GPU. Warps and pieces are read 16 bytes at a time; up to three
// elements at each end are taken one by one.

#include <cuda_runtime.h>

#define BLOCK 256
#define PIECE 8192

typedef unsigned long long Pair;

__device__ __forceinline__ Pair packed(float value, int place) {
    unsigned bits = __float_as_uint(value == 0.0f ? 0.0f : value);
    unsigned ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (Pair)ordered << 32 | ~(unsigned)place;
}

__device__ __forceinline__ Pair best_of_warp(Pair pair) {
    for (int distance = 16; distance > 0; distance /= 2) {
        pair = max(pair, __shfl_xor_sync(0xffffffff, pair, distance));
    }
    return pair;
}

// The best of the elements from `first` up to `end`, as far as this one of `count` threads looks.
__device__ __forceinline__ Pair best_of_thread(const float* __restrict__ row, int first, int end, int thread, int count) {
    const int before = min((int)((16 - ((size_t)(row + first) & 15)) / 4 & 3), end - first);
    const int fours = (end - first - before) / 4;
    const float4* row4 = reinterpret_cast<const float4*>(row + first + before);
    Pair pair = 0;
    if (thread < before) {
        pair = packed(row[first + thread], first + thread);
    }
#pragma unroll 4
    for (int k = thread; k < fours; k += count) {
        const float4 x = row4[k];
        const int place = first + before + 4 * k;
        const Pair low = max(packed(x.x, place), packed(x.y, place + 1));
        const Pair high = max(packed(x.z, place + 2), packed(x.w, place + 3));
        pair = max(pair, max(low, high));
    }
    const int behind = first + before + 4 * fours + thread;
    if (behind < end) {
        pair = max(pair, packed(row[behind], behind));
    }
    return pair;
}

__global__ void __launch_bounds__(BLOCK)
    warp_a_row(const float* __restrict__ input, int* __restrict__ output, int M, int N) {
    const int row = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;
    if (row >= M) {
        return;
    }
    const Pair pair = best_of_warp(best_of_thread(input + (size_t)row * N, 0, N, threadIdx.x % 32, 32));
    if (threadIdx.x % 32 == 0) {
        output[row] = ~(unsigned)pair;
    }
}

// A block for each row: step 2.
__global__ void __launch_bounds__(BLOCK) block_a_row(const float* input, int* output, int N) {
    __shared__ float values[BLOCK];
    __shared__ int places[BLOCK];
    const float* row = input + (size_t)blockIdx.x * N;
    float largest = -INFINITY;
    int place = N;
    for (int j = threadIdx.x; j < N; j += BLOCK) {
        if (row[j] > largest) {
            largest = row[j];
            place = j;
        }
    }
    int t = threadIdx.x;
    values[t] = largest;
    places[t] = place;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half) {
            bool larger = values[t + half] > values[t];
            bool first = values[t + half] == values[t] && places[t + half] < places[t];
            if (larger || first) {
                values[t] = values[t + half];
                places[t] = places[t + half];
            }
        }
        __syncthreads();
    }
    if (t == 0) {
        output[blockIdx.x] = places[0];
    }
}

__global__ void __launch_bounds__(BLOCK)
    blocks_a_row(const float* __restrict__ input, Pair* best, int N) {
    __shared__ Pair pairs[BLOCK / 32];
    const int first = blockIdx.x * PIECE;
    const int end = min(first + PIECE, N);
    Pair pair = best_of_warp(best_of_thread(input + (size_t)blockIdx.y * N, first, end, threadIdx.x, BLOCK));
    const int lane = threadIdx.x % 32;
    if (lane == 0) {
        pairs[threadIdx.x / 32] = pair;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        pair = best_of_warp(lane < BLOCK / 32 ? pairs[lane] : 0);
        if (lane == 0) {
            atomicMax(&best[blockIdx.y], pair);
        }
    }
}

__global__ void take_places(const Pair* __restrict__ best, int* __restrict__ output, int M) {
    const int row = blockIdx.x * BLOCK + threadIdx.x;
    if (row < M) {
        output[row] = ~(unsigned)best[row];
    }
}

extern "C" void solve(const float* input, int* output, int M, int N) {
    if (N <= 2048) {
        warp_a_row<<<(M + BLOCK / 32 - 1) / (BLOCK / 32), BLOCK>>>(input, output, M, N);
        return;
    }
    const int pieces = (N + PIECE - 1) / PIECE;
    // A thousand blocks are enough for any GPU.
    if (M >= 1000 || pieces == 1) {
        block_a_row<<<M, BLOCK>>>(input, output, N);
        return;
    }
    Pair* best;
    cudaMalloc((void**)&best, M * sizeof(Pair));
    cudaMemset(best, 0, M * sizeof(Pair));
    blocks_a_row<<<dim3(pieces, M), BLOCK>>>(input, best, N);
    take_places<<<(M + BLOCK - 1) / BLOCK, BLOCK>>>(best, output, M);
    cudaFree(best);
}
