// expect: accepted
//
// Beam search, step 2: a sorted list for each warp, one key in a lane.
//
// Added to step 1: the steps are read once. A warp compares 32 continuations with the worst of its list at a time, and
// hardly ever has to insert one: then a ballot says where it belongs, and a shuffle makes room. At the end the first
// warp inserts the lists of the others. Ballots and shuffles keep the compiler from bringing later loads ahead, so a
// lane asks for four steps before the first is compared. Expect a gain of about B.

#define BLOCK 256
#define AHEAD 4

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

__global__ void beam_step_kernel(const float* scores, const float* steps, float* new_scores, int* parents, int* tokens,
                                 int S, int B, int V) {
    __shared__ Key lists[BLOCK / 32][32];
    const int s = blockIdx.x;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    Key list = 0;
    Key worst = 0;
    for (int b = 0; b < B; b++) {
        const float score = scores[s * B + b];
        const float* row = steps + ((size_t)s * B + b) * V;
        for (int first = warp * 32; first < V; first += AHEAD * BLOCK) {
            float step[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                const int v = first + k * BLOCK + lane;
                step[k] = v < V ? row[v] : 0.0f;
            }
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                const int v = first + k * BLOCK + lane;
                const Key key = v < V ? key_of(score + step[k], b * V + v) : 0;
                insert(list, worst, key, B);
            }
        }
    }
    lists[warp][lane] = list;
    __syncthreads();
    if (warp == 0) {
        for (int other = 1; other < BLOCK / 32; other++) {
            insert(list, worst, lane < B ? lists[other][lane] : 0, B);
        }
        if (lane < B) {
            const unsigned place = ~(unsigned)list;
            new_scores[s * B + lane] = score_of(list);
            parents[s * B + lane] = place / V;
            tokens[s * B + lane] = place % V;
        }
    }
}
