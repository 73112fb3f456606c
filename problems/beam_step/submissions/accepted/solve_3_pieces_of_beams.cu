// expect: accepted
//
// Beam search, step 3: many blocks a sentence, float4, and one comparison for most continuations.
//
// Added to step 2: a block searches 16384 continuations, and a second kernel merges the lists of a sentence, so that a
// few sentences fill the GPU. Four steps come by one load. A score is compared as a float with the worst of the list;
// only if some lane has one as large are keys made at all. The steps are read at the memory's speed.

#include <cuda_runtime.h>

#define BLOCK 256
#define PIECE 16384  // continuations of a block, or more

typedef unsigned long long Key;

// A number that is the larger, the better the continuation: its score's bits, made to compare as unsigned numbers do,
// and below them the complement of its place.
__device__ __forceinline__ Key key_of(float score, unsigned place) {
    unsigned bits = __float_as_uint(score + 0.0f);  // zeros of both signs are equal
    bits ^= bits >> 31 ? 0xffffffffu : 0x80000000u;
    return (Key)bits << 32 | ~place;
}

__device__ __forceinline__ float score_of(Key key) {
    unsigned bits = key >> 32;
    return __uint_as_float(bits ^ (bits >> 31 ? 0x80000000u : 0xffffffffu));
}

// The list of a warp: lane k holds the k-th best key. Inserts the keys of those lanes that have one above `worst`.
__device__ __forceinline__ void insert(Key& list, Key& worst, Key key, int B) {
    const int lane = threadIdx.x % 32;
    unsigned candidates = __ballot_sync(0xffffffff, key > worst);
    while (candidates) {
        const Key next = __shfl_sync(0xffffffff, key, __ffs(candidates) - 1);
        candidates &= candidates - 1;
        if (next > worst) {
            // Those behind the new one move on by one lane.
            const int place = __popc(__ballot_sync(0xffffffff, list > next));
            const Key left = __shfl_up_sync(0xffffffff, list, 1);
            list = lane < place ? list : lane == place ? next : left;
            worst = __shfl_sync(0xffffffff, list, B - 1);
        }
    }
}

// Inserts the lists of all warps into that of the first one.
__device__ __forceinline__ void merge(Key& list, Key& worst, int B) {
    __shared__ Key lists[BLOCK / 32][32];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    lists[warp][lane] = list;
    __syncthreads();
    if (warp == 0) {
        for (int other = 1; other < BLOCK / 32; other++) {
            insert(list, worst, lane < B ? lists[other][lane] : 0, B);
        }
    }
}

__global__ void __launch_bounds__(BLOCK)
    search(const float* __restrict__ scores, const float* __restrict__ steps, Key* __restrict__ found, int B, int V,
           int length) {
    const int s = blockIdx.y;
    const int lane = threadIdx.x % 32;
    const size_t first = (size_t)s * B * V;
    const int start = blockIdx.x * length;
    const int end = min(start + length, B * V);
    Key list = 0;
    Key worst = 0;
    // Only scores from this one on can get into the list.
    float least = -INFINITY;
    auto consider = [&](float step, int c, int b) {
        const float score = c < end ? scores[s * B + b] + step : -INFINITY;
        if (__any_sync(0xffffffff, c < end && score >= least)) {
            insert(list, worst, c < end ? key_of(score, c) : 0, B);
            least = worst ? score_of(worst) : -INFINITY;
        }
    };
    if (V % 4 == 0) {
        // Four steps belong to one beam, and begin at a multiple of 16 bytes.
        for (int c = start + threadIdx.x / 32 * 128; c < end; c += 4 * BLOCK) {
            const int mine = c + 4 * lane;
            const float4 four = mine < end ? __ldcs(reinterpret_cast<const float4*>(steps + first + mine)) : float4{};
            const int b = min(mine / V, B - 1);
            consider(four.x, mine, b);
            consider(four.y, mine + 1, b);
            consider(four.z, mine + 2, b);
            consider(four.w, mine + 3, b);
        }
    } else {
        for (int c = start + threadIdx.x / 32 * 32; c < end; c += BLOCK) {
            const int mine = c + lane;
            consider(mine < end ? __ldcs(steps + first + mine) : 0.0f, mine, min(mine / V, B - 1));
        }
    }
    merge(list, worst, B);
    if (threadIdx.x < B) {
        found[((size_t)s * gridDim.x + blockIdx.x) * B + lane] = list;
    }
}

__global__ void __launch_bounds__(BLOCK)
    choose(const Key* __restrict__ found, float* __restrict__ new_scores, int* __restrict__ parents,
           int* __restrict__ tokens, int B, int V, int pieces) {
    const int s = blockIdx.x;
    const int lane = threadIdx.x % 32;
    Key list = 0;
    Key worst = 0;
    for (int first = threadIdx.x / 32 * 32; first < pieces * B; first += BLOCK) {
        const int k = first + lane;
        insert(list, worst, k < pieces * B ? found[(size_t)s * pieces * B + k] : 0, B);
    }
    merge(list, worst, B);
    if (threadIdx.x < B) {
        const unsigned place = ~(unsigned)list;
        new_scores[s * B + lane] = score_of(list);
        parents[s * B + lane] = place / V;
        tokens[s * B + lane] = place % V;
    }
}

extern "C" void solve(const float* scores, const float* steps, float* new_scores, int* parents, int* tokens, int S,
                      int B, int V) {
    // Pieces begin at a multiple of four.
    const int pieces = (B * V + PIECE - 1) / PIECE;
    const int length = ((B * V + pieces - 1) / pieces + 3) / 4 * 4;
    Key* found;
    cudaMalloc(&found, (size_t)S * pieces * B * sizeof(Key));
    search<<<dim3(pieces, S), BLOCK>>>(scores, steps, found, B, V, length);
    choose<<<S, BLOCK>>>(found, new_scores, parents, tokens, B, V, pieces);
    cudaFree(found);
}
