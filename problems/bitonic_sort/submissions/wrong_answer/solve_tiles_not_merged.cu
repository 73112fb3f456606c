// expect: wrong_answer wrong_value
//
// Bitonic sort of tiles that nobody merges.
//
// Right for arrays that fit into one tile.

#define BLOCK 1024

constexpr int TILE = 8 * BLOCK;

__device__ __forceinline__ void order(float& low, float& high) {
    float smaller = fminf(low, high);
    high = fmaxf(low, high);
    low = smaller;
}

// The steps with the distances 2^(STEPS-1) * d, ..., 2d and d, of the `group`th 2^STEPS elements that these connect.
template <int STEPS>
__device__ __forceinline__ void descend(float* keys, int group, int d, int count) {
    constexpr int KEYS = 1 << STEPS;
    float held[KEYS];
    // A tile's places and d are below 2^31; so are those of 100 million elements.
    int first = group / d * (KEYS * d) + group % d;
    if (first >= count) {
        return;
    }
#pragma unroll
    for (int k = 0; k < KEYS; k++) {
        held[k] = first + k * d < count ? keys[first + k * d] : INFINITY;
    }
#pragma unroll
    for (int apart = KEYS / 2; apart > 0; apart /= 2) {
#pragma unroll
        for (int k = 0; k < KEYS; k++) {
            if ((k & apart) == 0) {
                order(held[k], held[k + apart]);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < KEYS; k++) {
        if (first + k * d < count) {
            keys[first + k * d] = held[k];
        }
    }
}

// All steps with distances below `distance`, a power of two, in a tile of shared memory.
__device__ void descend_in_tile(float* tile, int distance) {
    int t = threadIdx.x;
    for (; distance >= 8; distance /= 8) {
        descend<3>(tile, t, distance / 8, TILE);
        __syncthreads();
    }
    if (distance == 4) {
        descend<2>(tile, t, 1, TILE);
        descend<2>(tile, t + BLOCK, 1, TILE);
        __syncthreads();
    } else if (distance == 2) {
        for (int group = t; group < TILE / 2; group += BLOCK) {
            descend<1>(tile, group, 1, TILE);
        }
        __syncthreads();
    }
}

__device__ void load(float* tile, const float* keys, int N) {
    for (int i = threadIdx.x; i < TILE; i += BLOCK) {
        tile[i] = blockIdx.x * TILE + i < N ? keys[blockIdx.x * TILE + i] : INFINITY;
    }
    __syncthreads();
}

__device__ void store(const float* tile, float* keys, int N) {
    for (int i = threadIdx.x; i < TILE && blockIdx.x * TILE + i < N; i += BLOCK) {
        keys[blockIdx.x * TILE + i] = tile[i];
    }
}

__global__ void __launch_bounds__(BLOCK)
    sort_tiles(const float* __restrict__ input, float* __restrict__ output, int N) {
    __shared__ float tile[TILE];
    load(tile, input, N);
    // A short array needs no more than its own length.
    int end = min(TILE, N - (int)blockIdx.x * TILE);
    for (int length = 2; length / 2 < end; length *= 2) {
        for (int pair = threadIdx.x; pair < TILE / 2; pair += BLOCK) {
            int low = pair / (length / 2) * length + pair % (length / 2);
            order(tile[low], tile[low ^ (length - 1)]);
        }
        __syncthreads();
        descend_in_tile(tile, length / 2);
    }
    store(tile, output, N);
}

__global__ void mirror(float* keys, int N, int half) {
    int pair = blockIdx.x * 256 + threadIdx.x;
    int low = pair / half * (2 * half) + pair % half;
    int high = low ^ (2 * half - 1);
    if (high < N) {
        order(keys[low], keys[high]);
    }
}

template <int STEPS>
__global__ void long_steps(float* keys, int N, int d) {
    descend<STEPS>(keys, blockIdx.x * 256 + threadIdx.x, d, N);
}

__global__ void __launch_bounds__(BLOCK) short_steps(float* keys, int N) {
    __shared__ float tile[TILE];
    load(tile, keys, N);
    descend_in_tile(tile, TILE);
    store(tile, keys, N);
}

static int blocks(int N, int span, int groups) {
    int threads = (N + span - 1) / span * groups;
    return (threads + 255) / 256;
}

extern "C" void solve(const float* input, float* output, int N) {
    int tiles = (N + TILE - 1) / TILE;
    sort_tiles<<<tiles, BLOCK>>>(input, output, N);
    for (int length = 2 * TILE; length < N; length *= 2) {
        mirror<<<blocks(N, length, length / 2), 256>>>(output, N, length / 2);
        int distance = length / 2;
        for (; distance >= 8 * TILE; distance /= 8) {
            long_steps<3><<<blocks(N, distance, distance / 8), 256>>>(output, N, distance / 8);
        }
        if (distance == 4 * TILE) {
            long_steps<2><<<blocks(N, distance, TILE), 256>>>(output, N, TILE);
        } else if (distance == 2 * TILE) {
            long_steps<1><<<blocks(N, distance, TILE), 256>>>(output, N, TILE);
        }
        short_steps<<<tiles, BLOCK>>>(output, N);
    }
}
